"""When Celery says so: settle, keep the standing of silent disks right, merge histograms, drop what is too old."""

from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from sla.scoring import closing, services
from sla.scoring.histograms import merge_histograms
from sla.scoring.maintenance_series import lay_out_all
from sla.telemetry import timescale


@shared_task(name="sla.scoring.settle_due")
def settle_due() -> str:
    done = services.settle_due()
    return f"settled {done.slots} slots from {done.marks} marks"


@shared_task(name="sla.scoring.refresh_stale")
def refresh_stale() -> str:
    return f"refreshed {services.refresh_stale()} disks"


@shared_task(name="sla.scoring.merge_histograms")
def merge_hour_histograms() -> str:
    return f"merged the histograms of {merge_histograms()} hours and days"


@shared_task(name="sla.scoring.close_periods")
def close_periods() -> str:
    return f"closed {closing.close_periods()} periods"


@shared_task(name="sla.scoring.drop_old")
def drop_old() -> str:
    now = timezone.now()
    slots = timescale.drop_before("scoring_slot", now - timedelta(days=settings.SLOTS_KEEP_DAYS))
    kept = now - timedelta(days=settings.HOURS_KEEP_DAYS)
    hours = timescale.drop_before("scoring_hour", kept) + timescale.drop_before("scoring_day", kept)
    return f"dropped {slots} chunks of slots and {hours} of hours and days"


@shared_task(name="sla.scoring.lay_out_maintenance")
def lay_out_maintenance() -> str:
    return f"laid out {lay_out_all()} windows of recurring maintenance"
