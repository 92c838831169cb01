"""Did mail go out on time? What the auditor asks of the outbox."""

from datetime import datetime, timedelta
from typing import Any

from django.dispatch import receiver

from sla.incidents.signals import audit_asked
from sla.notifications.models import Notice
from sla.notifications.selectors import health

# A notice that is due waits for the next look of the worker, two seconds; what failed comes up again later by itself.
LATE_S = 300
# How long a notice that nobody will get is our own incident; it stays in the outbox for good.
GIVEN_UP_FOR = timedelta(hours=1)


@receiver(audit_asked)
def outbox(now: datetime, **_: Any) -> list[str]:
    """What is wrong with it, in words."""
    stands, found = health(now), []
    if stands.oldest_s > LATE_S:
        found.append(f"notices that are due wait in the outbox, the oldest for {stands.oldest_s / 60:.0f} min")
    given_up = Notice.objects.filter(state=Notice.State.GIVEN_UP, tried_at__gt=now - GIVEN_UP_FOR).count()
    if given_up:
        found.append(f"{given_up} notices were given up within the last hour: see the outbox")
    if stands.server_failing_since is not None and (now - stands.server_failing_since).total_seconds() > LATE_S:
        found.append(f"the mail server fails since {stands.server_failing_since:%F %H:%M} UTC: {stands.server_error}")
    return found
