"""When Celery says so: get out what is due, drop what is old."""

from celery import shared_task

from sla.notifications.deliver import deliver as deliver_due


@shared_task(name="sla.notifications.deliver")
def deliver() -> str:
    done = deliver_due()
    return f"sent {done.sent}, to be tried again {done.failed}, given up {done.given_up}, kept {done.kept}"
