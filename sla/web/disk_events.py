"""What else happened to this disk in a span of time? Contention, incidents, maintenance, tests, moves."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext

from sla.accounts.models import User
from sla.fleet.models import Disk, PoolMembership
from sla.incidents.models import IncidentDisk
from sla.incidents.selectors import incidents_visible_to
from sla.incidents.words import Share, title_for
from sla.neighbours.models import Cause
from sla.neighbours.selectors import windows_touching, windows_visible_to
from sla.scoring import store
from sla.scoring.exclusions import windows_between
from sla.web.disk_range import Range
from sla.web.probe_marks import marks

MOST = 40  # more bands than that are a carpet


def events(disk: Disk, user: User, span: Range) -> list[dict[str, Any]]:
    """Oldest first: {kind, start, end, text, url}; `end` None while it lasts, the start alone where it is a moment."""
    start, end = datetime.fromtimestamp(span.start, UTC), datetime.fromtimestamp(span.end, UTC)
    found = [
        *_contention(disk, user, start, end),
        *_incidents(disk, user, start, end),
        *_maintenance(disk, span),
        *marks(disk, start, end),
        *(_moves(disk, start, end) if user.is_noc else ()),
    ]
    return sorted(found, key=lambda one: one["start"])[-MOST:]


def _event(kind: str, start: datetime, end: datetime | None, text: str, url: str | None = None) -> dict[str, Any]:
    ended = round(end.timestamp()) if end else None
    return {"kind": kind, "start": round(start.timestamp()), "end": ended, "text": text, "url": url}


def _contention(disk: Disk, user: User, start: datetime, end: datetime) -> Iterator[dict[str, Any]]:
    for window in windows_touching(disk, start, end, among=windows_visible_to(user)):
        slower = f"×{window.severity:.1f}"
        if window.disk_id and window.cause == Cause.SELF:
            text = gettext("slower than its past by its own load, %s") % slower
        elif window.disk_id:
            text = gettext("this disk alone slower than its load explains, %s") % slower
        elif window.cause == Cause.WIDER:
            text = gettext("several storage pools slowed down at the same moment, this one %s") % slower
        else:
            text = gettext("shared storage slower than its load explains, %s") % slower
        yield _event("contention", window.start, window.end, text, reverse("window", args=[window.pk]))


def _incidents(disk: Disk, user: User, start: datetime, end: datetime) -> Iterator[dict[str, Any]]:
    hit = IncidentDisk.objects.filter(disk=disk).values("incident")
    touching = incidents_visible_to(user).filter(pk__in=hit, opened_at__lt=end).exclude(resolved_at__lt=start)
    for incident in touching.order_by("-opened_at")[:MOST]:
        text = title_for(incident, user, Share(1, 1, disk))
        yield _event("incident", incident.opened_at, incident.resolved_at, text, incident.get_absolute_url())


def _maintenance(disk: Disk, span: Range) -> Iterator[dict[str, Any]]:
    with store.reading() as cursor:
        windows = windows_between(cursor, [disk.pk], span.start, span.end, seldom=False).get(disk.pk, [])
    for window in windows:
        does = [
            word
            for word, yes in (
                (gettext("taken out of the SLA"), window.excludes),
                (gettext("alerts muted"), window.mutes),
            )
            if yes
        ]
        began, ended = (datetime.fromtimestamp(moment, UTC) for moment in (window.start, window.end))
        yield _event("maintenance", began, ended, gettext("maintenance") + (f": {', '.join(does)}" if does else ""))


def _moves(disk: Disk, start: datetime, end: datetime) -> Iterator[dict[str, Any]]:
    """The first placement is no move."""
    lay = list(PoolMembership.objects.filter(disk=disk).select_related("pool").order_by("valid_from"))
    for before, after in pairwise(lay):
        if start <= after.valid_from < end:
            words = {"before": before.pool.name, "after": after.pool.name}
            yield _event("move", after.valid_from, None, gettext("moved from %(before)s to %(after)s") % words)
