"""When Celery says so: state the months that are due, correct those that changed, state one for everybody."""

from celery import shared_task

from sla.reports import due
from sla.reports.models import Batch


@shared_task(name="sla.reports.freeze_due")
def freeze_due() -> str:
    return f"made {due.freeze_due()} statements"


@shared_task(name="sla.reports.recheck")
def recheck() -> str:
    return f"corrected {due.recheck()} statements"


@shared_task(name="sla.reports.run_batch")
def run_batch(batch: int) -> str:
    done = due.run_batch(Batch.objects.get(pk=batch))
    return f"made {done.made} statements of {done.period}, {len(done.problems)} could not be made"
