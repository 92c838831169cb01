"""Neighbour windows: when storage was slower than its load explains, and whose load did it."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from ninja import Query, Router

from sla.accounts.selectors import is_noc
from sla.api.errors import Refused
from sla.api.paging import DEFAULT_LIMIT, before_moment, checked_limit, encode_cursor
from sla.fleet.selectors import disks_visible_to
from sla.neighbours.models import NeighbourWindow, Role, WindowDisk
from sla.neighbours.selectors import windows_visible_to
from sla.neighbours.store import moment
from sla.neighbours.words import part_of, reason_for_customer

router = Router(tags=["neighbour windows"])
LATEST_S = 253_402_300_799  # the end of the year 9999, beyond which there are no moments


@router.get("", summary="Neighbour windows, newest first")
def neighbour_windows(
    request: HttpRequest,
    begin: int | None = Query(None, alias="from", ge=0, le=LATEST_S),
    end: int | None = Query(None, alias="to", ge=0, le=LATEST_S),
    pool: str = Query("", max_length=100),
    disk: int | None = Query(None, ge=0, lt=2**31),
    limit: int = DEFAULT_LIMIT,
    cursor: str = "",
) -> dict[str, Any]:
    """Those that overlap [from, to), of a pool (name or id) or a disk. `end` is null while it lasts; `suspects` is
    empty where there is no single culprit. A customer reads of windows that touched its own disks, without suspects and
    without the pool."""
    if begin is not None and end is not None and end <= begin:
        raise Refused(422, "bad_value", f"to is {end}: it must lie after from, {begin}", "to")
    noc = is_noc(request.user)
    found = narrowed(windows_visible_to(request.user), begin, end, pool if noc else "", disk, request.user)
    if pool and not noc:
        found = found.none()  # which pool a disk lies in is not theirs to know
    found = before_moment(found, cursor, "start")
    limit = checked_limit(limit)
    page = list(found.order_by("-start", "-pk")[: limit + 1])
    more, page = len(page) > limit, page[:limit]
    parts = parts_of(page, request.user)
    last = page[-1] if more else None
    return {
        "items": [item(window, parts[window.pk], noc=noc) for window in page],
        "next_cursor": encode_cursor(last.start.isoformat(), last.pk) if last else None,
    }


def narrowed(
    found: QuerySet[NeighbourWindow], begin: int | None, end: int | None, pool: str, disk: int | None, user: Any
) -> QuerySet[NeighbourWindow]:
    """By time, pool and disk."""
    if begin is not None:
        found = found.filter(Q(end=None) | Q(end__gt=moment(begin)))
    if end is not None:
        found = found.filter(start__lt=moment(end))
    if pool:
        named = Q(pool__name=pool)
        found = found.filter(named | Q(pool=int(pool)) if pool.isdecimal() and len(pool) < 10 else named)
    if disk is not None:
        if not disks_visible_to(user).filter(pk=disk).exists():
            raise Refused(404, "not_found", f"there is no disk {disk}")
        took_part = WindowDisk.objects.filter(disk=disk).values("window")
        found = found.filter(Q(disk=disk) | Q(pk__in=took_part))
    return found


def parts_of(windows: Iterable[NeighbourWindow], user: Any) -> dict[int, list[WindowDisk]]:
    """Per window the parts of the disks that this person may see: for a customer its own."""
    rows = WindowDisk.objects.filter(window__in=list(windows)).order_by("-score", "disk")
    if not is_noc(user):
        rows = rows.filter(disk__in=disks_visible_to(user).order_by().values("pk"))
    found: dict[int, list[WindowDisk]] = defaultdict(list)
    for row in rows:
        found[row.window_id].append(row)
    return found


def _told(window: NeighbourWindow) -> dict[str, Any]:
    """Without what its pool alone would have been told: whom that suspects did nothing."""
    return {name: value for name, value in window.evidence.items() if name != "alone"}


def item(window: NeighbourWindow, parts: list[WindowDisk], *, noc: bool) -> dict[str, Any]:
    """A window as this person reads it."""
    evidence = _told(window) if noc else {"reason": reason_for_customer(window, parts)}
    return {
        "id": window.pk,
        "disk": window.disk_id,
        "pool": window.pool.name if noc and window.pool else None,
        "start": int(window.start.timestamp()),
        "end": None if window.end is None else int(window.end.timestamp()),
        "severity": window.severity,
        "cause": window.cause,
        "confidence": window.confidence,
        "suspects": [
            {"disk": part.disk_id, "score": part.score, "share": part.share, "lag_s": part.lag_s}
            for part in parts
            if noc and part.role == Role.SUSPECT
        ],
        "evidence": {**evidence, "parts": [part_of(part, noc=noc) for part in parts]},
    }
