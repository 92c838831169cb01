"""When Celery says so: apply the rules to what changed, look again at what is open, remind, look after ourselves."""

from celery import shared_task

from sla.incidents import evaluate, services, watcher
from sla.incidents.jobs import AUDIT
from sla.incidents.marks import EVALUATE


@shared_task(name=EVALUATE)
def evaluate_due() -> str:
    done = evaluate.evaluate_due()
    return f"looked at {done.disks} disks from {done.marks} marks"


@shared_task(name="sla.incidents.sweep")
def sweep() -> str:
    return f"looked again at {evaluate.sweep()} disks, reminded of {services.remind()} incidents"


@shared_task(name=AUDIT)
def audit() -> str:
    if found := watcher.audit():
        return f"{len(found)} things are wrong: {found[0]}"
    return f"all is well; {watcher.heartbeat()}"
