"""Who held a disk when? A machine may change hands in the middle of a month; each customer is told of its own time."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from sla.accounts.models import Customer
from sla.fleet.models import Disk
from sla.reports.models import Handover


@dataclass(frozen=True, slots=True)
class Held:
    """[start, end) in Unix seconds, None: since ever, for ever."""

    start: int | None
    end: int | None


def disks_held(customer: Customer, start: datetime, end: datetime) -> dict[Disk, list[Held]]:
    """The disks this customer held at any time in [start, end), and when. Joined with machine, pool and standing."""
    passed = Handover.objects.filter(Q(before=customer) | Q(after=customer)).values("machine")
    disks = (
        Disk.objects.select_related("machine", "pool", "now")
        .filter(Q(machine__customer=customer) | Q(machine__in=passed))
        .exclude(removed_at__lte=start)
    )
    disks = disks.filter(Q(now__first_at__lt=end) | Q(now__first_at=None, first_seen_at__lt=end))
    listed = list(disks.order_by("machine__hostname", "device", "pk"))
    held = custody(customer, {disk.machine_id: disk.machine.customer_id for disk in listed})
    found = {}
    for disk in listed:
        mine = [one for one in held[disk.machine_id] if touches(one, start.timestamp(), end.timestamp())]
        if mine:
            found[disk] = mine
    return found


def touches(one: Held, start: float, end: float) -> bool:
    return (one.start is None or one.start < end) and (one.end is None or one.end > start)


def custody(customer: Customer, owners: dict[int, int]) -> dict[int, list[Held]]:
    """Per machine when this customer held it; `owners`: who holds each now."""
    changes: dict[int, list[Handover]] = defaultdict(list)
    for change in Handover.objects.filter(machine__in=list(owners)).order_by("at", "pk"):
        changes[change.machine_id].append(change)
    return {machine: spans(customer.pk, owner, changes.get(machine, [])) for machine, owner in owners.items()}


def spans(customer: int, owner: int, changes: Iterable[Handover]) -> list[Held]:
    """When a machine was this customer's. Whole minutes: a minute belongs to whoever held its beginning."""
    found: list[Held] = []
    since: int | None = None
    holder: int | None = None
    for change in changes:
        at = -(-int(change.at.timestamp()) // 60) * 60
        if change.before_id == customer:
            found.append(Held(since if holder is not None else None, at))
        holder, since = change.after_id, at
    if holder is None:
        return [Held(None, None)] if owner == customer else []
    if owner == customer:
        found.append(Held(since, None))
    return [one for one in found if one.start is None or one.end is None or one.start < one.end]
