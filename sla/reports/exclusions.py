"""Which maintenance touched a customer's month, which of its disks, for how long, and who agreed?"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from math import ceil

from django.db.models import Q

from sla.accounts.models import Customer
from sla.contracts.models import MaintenanceWindow
from sla.domain.statement.facts import Exclusion
from sla.fleet.models import Disk, PoolMembership
from sla.reports.evidence import Span
from sla.scoring.terms import moment

Inside = tuple[datetime, datetime]
# Per disk and pool, when it lay there; None: since ever, for ever.
Lay = dict[tuple[int, int], list[tuple[datetime | None, datetime | None]]]


def exclusions(customer: Customer, disks: Sequence[Disk], spans: Sequence[Span]) -> list[Exclusion]:
    """One a window, with both switches and whoever agreed. Where a disk came into the pool while it lasted, or left,
    its part of the window is told beside the others'."""
    if not spans:
        return []
    start, end = moment(min(one.start for one in spans)), moment(max(one.end for one in spans))
    ids = {disk.pk for disk in disks}
    lay = lay_of(disks)
    windows = (
        MaintenanceWindow.objects.filter(ends_at__gt=start, starts_at__lt=end, cancelled_at=None)
        .filter(Q(disks__in=ids) | Q(pools__in={pool for _, pool in lay}) | Q(customers=customer))
        .distinct()
        .select_related("created_by")
        .prefetch_related("disks", "pools", "customers", "words")
        .order_by("starts_at", "pk")
    )
    return [
        _exclusion(window, customer, inside, touched)
        for window in windows
        for inside, touched in sorted(_touched(window, customer, ids, lay).items())
        if inside[0] < end and inside[1] > start
    ]


def lay_of(disks: Iterable[Disk]) -> Lay:
    """As scoring has it: by a disk's history, else where it is; where it was first said to be it has always been."""
    found: Lay = defaultdict(list)
    known: set[int] = set()
    history = PoolMembership.objects.filter(disk__in=[disk.pk for disk in disks]).order_by("valid_from")
    for one in history:
        since = one.valid_from if one.disk_id in known else None
        known.add(one.disk_id)
        found[one.disk_id, one.pool_id].append((since, one.valid_to))
    for disk in disks:
        if disk.pool_id is not None and disk.pk not in known:
            found[disk.pk, disk.pool_id].append((None, None))
    return found


def _touched(window: MaintenanceWindow, customer: Customer, ids: set[int], lay: Lay) -> dict[Inside, set[int]]:
    """The disks by the part of the window that touches them: mostly all of it."""
    whole = (window.starts_at, window.ends_at)
    found: dict[Inside, set[int]] = defaultdict(set)
    if any(one.pk == customer.pk for one in window.customers.all()):
        found[whole] |= ids
    found[whole] |= ids & {disk.pk for disk in window.disks.all()}
    pools = {pool.pk for pool in window.pools.all()}
    for (disk, pool), whiles in lay.items():
        if pool in pools and disk not in found[whole]:
            for inside in _cut(whole, whiles):
                found[inside].add(disk)
    return {inside: touched for inside, touched in found.items() if touched}


def _cut(whole: Inside, whiles: Iterable[tuple[datetime | None, datetime | None]]) -> Iterator[Inside]:
    for since, until in whiles:
        start, end = max(whole[0], since or whole[0]), min(whole[1], until or whole[1])
        if start < end:
            yield start, end


def _exclusion(window: MaintenanceWindow, customer: Customer, inside: Inside, touched: Iterable[int]) -> Exclusion:
    return Exclusion(
        id=window.pk,
        # Whole seconds: a minute is taken out where it begins inside, and minutes begin on them.
        start=ceil(inside[0].timestamp()),
        end=ceil(inside[1].timestamp()),
        reason=window.reason,
        mutes=window.mutes,
        excludes=window.excludes,
        made_at=int(window.created_at.timestamp()),
        made_by=window.created_by.get_username() if window.created_by else "",
        approvals=approvals(window, customer),
        disks=tuple(sorted(touched)),
    )


def approvals(window: MaintenanceWindow, customer: Customer) -> tuple[str, ...]:
    """This customer's recorded words, each with who gave it and when; of others' words nothing is told."""
    words = [one for one in window.words.all() if one.customer_id == customer.pk]
    said = [f"{one.by_label}, {one.at:%Y-%m-%d %H:%M} UTC" + (f": {one.note}" if one.note else "") for one in words]
    return tuple(said or window.approvals)
