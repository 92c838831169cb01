"""When Celery says so: keep the evidence no longer than promised."""

from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from sla.telemetry import timescale


@shared_task(name="sla.telemetry.drop_old_frames")
def drop_old_frames() -> str:
    before = timezone.now() - timedelta(days=settings.FRAMES_KEEP_DAYS)
    return f"dropped {timescale.drop_before('telemetry_frame', before)} chunks of frames before {before:%F}"
