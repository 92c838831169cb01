"""The beat's sign of life."""

import time

from celery import shared_task

from sla.api.health import note_beat


@shared_task(name="sla.api.beat_alive")
def beat_alive() -> str:
    note_beat(time.time())
    return "beat, broker and worker are alive"
