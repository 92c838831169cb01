"""Whose fault is it that a disk is slow? What detection found in the last hour, in a few words for a row of a list."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext

from sla.accounts.models import User
from sla.neighbours.models import Cause, NeighbourWindow, Role, WindowDisk
from sla.neighbours.selectors import windows_visible_to
from sla.web.pools.words import CAUSES

SPAN = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Whose:
    """Words, and where the evidence is; `found` is False where detection found nothing to blame."""

    words: str
    address: str = ""
    found: bool = True


def whose(disks: Sequence[int], slow: Container[int], user: User, at: datetime) -> dict[int, Whose]:
    """Per disk the window that explains it: one that lasts before one that is over, a pool's before its own.

    `slow`: those with a breached minute in the hour, which is then to be explained.
    """
    if not disks:
        return {}
    recent = Q(window__end=None) | Q(window__end__gte=at - SPAN)
    parts = WindowDisk.objects.filter(recent).select_related("window", "disk__machine").defer("window__evidence")
    suffered = parts.filter(role=Role.VICTIM, disk__in=disks)
    if user.is_noc:
        blamed = parts.filter(role=Role.SUSPECT, window__in=suffered.order_by().values("window"))
        parts = suffered | blamed
    else:
        parts = suffered.filter(window__in=windows_visible_to(user).order_by().values("pk"))
    hit: dict[int, list[NeighbourWindow]] = {disk: [] for disk in disks}
    suspects: dict[int, WindowDisk] = {}
    for part in parts:
        if part.role == Role.VICTIM:
            hit[part.disk_id].append(part.window)
        else:
            suspects[part.window_id] = part
    return {
        disk: _said(min(mine, key=_rank), user, suspects) if mine else _nobody(disk in slow)
        for disk, mine in hit.items()
    }


def _nobody(slow: bool) -> Whose:
    """A disk that was slow with nobody to blame is so by itself; one that was not has nothing to explain now."""
    if slow:
        return Whose(gettext("this disk alone: no contention found"), found=False)
    return Whose(gettext("nothing in the last hour"), found=False)


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
