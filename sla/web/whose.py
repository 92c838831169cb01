"""Whose fault is it that a disk is slow? What detection found in the last hour, in a few words for a row of a list."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext

from sla.accounts.models import User
from sla.neighbours.models import Cause, NeighbourWindow, Role, WindowDisk
from sla.neighbours.selectors import windows_visible_to
from sla.web.fleet_lines import Line
from sla.web.pools.words import CAUSES

SPAN = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Whose:
    """Words, and where the evidence is; `found` is False where detection found nothing to blame."""

    words: str
    address: str = ""
    found: bool = True


def whose(lines: Sequence[Line], user: User, at: datetime) -> dict[int, Whose]:
    """Per disk the window that explains it: one that lasts before one that is over, a pool's before its own."""
    disks = [line.disk for line in lines]
    if not disks:
        return {}
    recent = Q(end=None) | Q(end__gte=at - SPAN)
    took_part = WindowDisk.objects.filter(disk__in=disks, role=Role.VICTIM)
    windows = windows_visible_to(user).filter(recent)
    found = {one.pk: one for one in windows.filter(Q(disk__in=disks) | Q(pk__in=took_part.values("window")))}
    parts = list(WindowDisk.objects.filter(window__in=found).select_related("disk__machine")) if found else []
    hit: dict[int, list[NeighbourWindow]] = {disk: [] for disk in disks}
    for part in parts:
        if part.role == Role.VICTIM and part.disk_id in hit:
            hit[part.disk_id].append(found[part.window_id])
    for window in found.values():
        if window.disk_id in hit:
            hit[window.disk_id].append(window)
    suspects = {part.window_id: part for part in parts if part.role == Role.SUSPECT}
    return {
        disk: _said(min(mine, key=_rank), user, suspects)
        if mine
        else Whose(gettext("no contention found"), found=False)
        for disk, mine in hit.items()
    }


def _rank(window: NeighbourWindow) -> tuple[bool, bool, float]:
    return window.end is not None, window.disk_id is not None, -window.severity


def _said(window: NeighbourWindow, user: User, suspects: dict[int, WindowDisk]) -> Whose:
    over = {"clock": f"{window.end:%H:%M}"} if window.end else None
    words = _cause(window, user, suspects.get(window.pk) if user.is_noc else None)
    if over:
        words = gettext("%(cause)s, until %(clock)s UTC") % {"cause": words, **over}
    if user.is_noc and window.pool_id:
        return Whose(words, f"{reverse('pool', args=[window.pool_id])}?window={window.pk}")
    return Whose(words, reverse("window", args=[window.pk]))


def _cause(window: NeighbourWindow, user: User, suspect: WindowDisk | None) -> str:
    if suspect is not None:
        return gettext("suspect %(disk)s") % {"disk": suspect.disk}
    if not user.is_noc and not window.disk_id:
        return gettext("shared storage")
    cause = Cause(window.cause)
    if cause is Cause.NEIGHBOUR:
        return gettext("another disk’s load, no single culprit")
    return str(CAUSES[cause][0])
