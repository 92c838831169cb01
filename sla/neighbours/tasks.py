"""When Celery says so: follow the pools, drop minutes that are too old."""

from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from sla.neighbours import services
from sla.neighbours.infer import infer_pools
from sla.neighbours.late import follow_late
from sla.telemetry import timescale


@shared_task(name="sla.neighbours.detect")
def detect() -> str:
    done = services.detect_due()
    again = follow_late()
    return (
        f"followed {done.pool_minutes} pool minutes, {done.windows} windows changed; "
        f"{again.pool_minutes} again for late slots"
    )


@shared_task(name="sla.neighbours.infer_pools")
def infer() -> str:
    return f"inferred {infer_pools()} pools"


@shared_task(name="sla.neighbours.drop_old")
def drop_old() -> str:
    kept = timezone.now() - timedelta(days=settings.FRAMES_KEEP_DAYS)
    return f"dropped {timescale.drop_before('neighbours_poolminute', kept)} chunks of pool minutes"
