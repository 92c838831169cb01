"""What is in the outbox, and how does it stand? For the page, /metrics and whoever watches the watcher."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Min, Q, QuerySet

from sla.notifications.models import Notice, Server

State = Notice.State
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Health:
    """`oldest_s`: how long the longest due notice has been due; 0 where nothing is."""

    waiting: int
    failing: int
    oldest_s: float
    given_up_today: int
    sent_today: int
    server_failing_since: datetime | None
    server_error: str


def health(now: datetime) -> Health:
    """Two queries."""
    due = Q(state__in=(State.QUEUED, State.SENDING, State.FAILED), gathered=False, next_at__lte=now)
    found = Notice.objects.filter(
        Q(state__in=(State.QUEUED, State.SENDING, State.FAILED)) | Q(created_at__gt=now - DAY)
    )
    got = found.aggregate(
        waiting=Count("id", filter=Q(state__in=(State.QUEUED, State.SENDING))),
        failing=Count("id", filter=Q(state=State.FAILED)),
        oldest=Min("next_at", filter=due),
        given_up=Count("id", filter=Q(state=State.GIVEN_UP, created_at__gt=now - DAY)),
        sent=Count("id", filter=Q(state=State.SENT, created_at__gt=now - DAY)),
    )
    server = Server.objects.filter(name="mail").first()
    return Health(
        waiting=got["waiting"],
        failing=got["failing"],
        oldest_s=max(0.0, (now - got["oldest"]).total_seconds()) if got["oldest"] else 0.0,
        given_up_today=got["given_up"],
        sent_today=got["sent"],
        server_failing_since=server.failing_since if server else None,
        server_error=server.last_error if server else "",
    )


def listed() -> QuerySet[Notice]:
    """For a list: without what was sent, newest first."""
    heavy = ("plain", "html", "chart")
    return Notice.objects.select_related("person", "channel__owner", "incident").defer(*heavy).order_by("-id")
