"""What else belongs to a disk's month? Incidents, shared-storage contention, minutes without service."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

import psycopg
from django.db.models import Q

from sla.domain.statement.facts import Contention, DiskFacts, Incident
from sla.domain.states import Reason
from sla.incidents.models import Incident as Trouble
from sla.incidents.models import IncidentDisk
from sla.neighbours.models import NeighbourWindow, Role, WindowDisk
from sla.scoring.terms import moment

MINUTE_MS = 60_000
Happened = TypeVar("Happened", Contention, Incident)


def with_surroundings(cursor: "psycopg.Cursor[tuple]", facts: Sequence[DiskFacts], now: datetime) -> list[DiskFacts]:
    """The same disks with what happened around them, each within its own span."""
    if not facts:
        return []
    ids = [one.id for one in facts]
    start, end = moment(min(one.start for one in facts)), moment(max(one.end for one in facts))
    windows, troubles = _contention(ids, start, end), _incidents(ids, start, end)
    dead = _unavailable(cursor, [one for one in facts if sum(row.sums.lost_ms for row in one.rows) >= MINUTE_MS])
    return [
        replace(
            one,
            contention=tuple(_told(w, one) for w in windows.get(one.id, ()) if _inside(w.start, w.end, one)),
            incidents=tuple(_told(i, one) for i in troubles.get(one.id, ()) if _inside(i.start, i.end, one)),
            unavailable_minutes=dead.get((one.id, one.start), 0),
        )
        for one in facts
    ]


def _inside(start: int, end: int | None, disk: DiskFacts) -> bool:
    return start < disk.end and (end is None or end > disk.start)


def _told(what: Happened, disk: DiskFacts) -> Happened:
    """What went on beyond the month has no end in it: how it ended later must not change what was stated."""
    return replace(what, end=None) if what.end is not None and what.end > disk.end else what


def _contention(ids: Sequence[int], start: datetime, end: datetime) -> dict[int, list[Contention]]:
    """Windows in which the disk suffered or was suspected; other disks and pools stay unsaid."""
    touching = Q(end=None) | Q(end__gt=start)
    found: dict[int, list[Contention]] = defaultdict(list)
    alone = NeighbourWindow.objects.filter(touching, disk__in=ids, start__lt=end)
    for window in alone:
        found[window.disk_id].append(_window(window, None))
    members = (
        WindowDisk.objects.select_related("window")
        .filter(Q(window__end=None) | Q(window__end__gt=start), window__start__lt=end, disk__in=ids)
        .exclude(role=Role.BYSTANDER)
        .exclude(window__disk__in=ids)
    )
    for member in members:
        found[member.disk_id].append(_window(member.window, member.share))
    for listed in found.values():
        listed.sort(key=lambda one: (one.start, one.cause))
    return found


def _window(window: NeighbourWindow, share: float | None) -> Contention:
    return Contention(
        start=int(window.start.timestamp()),
        end=int(window.end.timestamp()) if window.end else None,
        severity_milli=int(window.severity * 1000),
        cause=window.cause,
        share_ppm=None if share is None else int(share * 1_000_000),
    )


def _incidents(ids: Sequence[int], start: datetime, end: datetime) -> dict[int, list[Incident]]:
    found: dict[int, list[Incident]] = defaultdict(list)
    rows = (
        IncidentDisk.objects.select_related("incident")
        .filter(Q(until=None) | Q(until__gt=start), disk__in=ids, since__lt=end)
        .exclude(incident__kind=Trouble.Kind.WATCHER)
        .order_by("since", "pk")
    )
    for row in rows:
        until = row.until or row.incident.resolved_at
        found[row.disk_id].append(
            Incident(
                id=row.incident_id,
                kind=row.incident.kind,
                severity=row.incident.severity,
                suspected=row.incident.suspected,
                start=int(row.since.timestamp()),
                end=int(until.timestamp()) if until else None,
            )
        )
    return found


def _unavailable(cursor: "psycopg.Cursor[tuple]", facts: Iterable[DiskFacts]) -> dict[tuple[int, int], int]:
    """Minutes in which nothing completed while requests waited, of disks that lost at least a minute."""
    found = {}
    for one in facts:
        side = 1 if one.terms is None or one.terms.contract.vantage == "guest" else 2
        row = cursor.execute(
            "SELECT count(*) FROM scoring_slot WHERE disk_id = %s AND vantage = %s AND reason = %s AND NOT excluded "
            "AND lost_ms > 0 AND start >= to_timestamp(%s) AND start < to_timestamp(%s)",
            [one.id, side, int(Reason.UNAVAILABLE), one.start, one.end],
        ).fetchone()
        found[one.id, one.start] = row[0] if row else 0
    return found
