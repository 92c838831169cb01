"""Which neighbour windows may this person see, and which touch a disk or a pool in a time?"""

from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from sla.accounts.models import User
from sla.accounts.selectors import is_noc
from sla.fleet.models import Disk, Pool
from sla.fleet.selectors import disks_visible_to
from sla.neighbours.models import NeighbourWindow, WindowDisk


def windows_visible_to(user: User | AnonymousUser) -> QuerySet[NeighbourWindow]:
    """All for the NOC; for a customer's people those in which a disk of theirs took part; none for a stranger."""
    windows = NeighbourWindow.objects.select_related("pool", "disk__machine")
    if is_noc(user):
        return windows
    mine = disks_visible_to(user).order_by().values("pk")
    took_part = WindowDisk.objects.filter(disk__in=mine).values("window")
    return windows.filter(Q(disk__in=mine) | Q(pk__in=took_part))


def windows_touching(
    what: Disk | Pool, start: datetime, end: datetime, *, among: QuerySet[NeighbourWindow] | None = None
) -> QuerySet[NeighbourWindow]:
    """Windows of a disk or pool that overlap [start, end), oldest first; `among`: those a person may see."""
    found = NeighbourWindow.objects.all() if among is None else among
    found = found.filter(Q(end=None) | Q(end__gt=start), start__lt=end)
    if isinstance(what, Pool):
        return found.filter(pool=what).order_by("start", "pk")
    took_part = WindowDisk.objects.filter(disk=what).values("window")
    return found.filter(Q(disk=what) | Q(pk__in=took_part)).order_by("start", "pk")
