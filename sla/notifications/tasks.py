"""When Celery says so: get out what is due, drop what is old."""

from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from sla.notifications.deliver import deliver as deliver_due
from sla.notifications.services import forget_letters


@shared_task(name="sla.notifications.deliver")
def deliver() -> str:
    done = deliver_due()
    return f"sent {done.sent}, to be tried again {done.failed}, given up {done.given_up}, kept {done.kept}"


@shared_task(name="sla.notifications.forget_letters")
def forget() -> str:
    before = timezone.now() - timedelta(days=settings.LETTERS_KEEP_DAYS)
    return f"forgot the pictures and pages of {forget_letters(before=before)} notices"
