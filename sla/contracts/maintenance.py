"""What does a maintenance window touch, and may it be? Reads and checks; the verbs stand where scoring is known."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from sla.accounts.models import Customer, User
from sla.accounts.selectors import customers_visible_to, is_noc
from sla.contracts.models import MaintenanceSeries, MaintenanceWindow
from sla.fleet.models import Disk, Pool
from sla.fleet.selectors import disks_visible_to

# Longer than a week is no maintenance; what began longer ago than this is history (frames are gone by then).
LONGEST = timedelta(days=7)
OLDEST = timedelta(days=62)
FURTHEST = timedelta(days=366)
MOST_NAMED = 1_000


class OddMaintenance(ValueError):
    """A window that cannot be; `field` names what is wrong, the message why."""

    def __init__(self, field_name: str, message: str) -> None:
        super().__init__(message)
        self.field = field_name


@dataclass(frozen=True, slots=True)
class Places:
    """What is maintained: any of these."""

    disks: Collection[Disk] = field(default_factory=list)
    pools: Collection[Pool] = field(default_factory=list)
    customers: Collection[Customer] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.disks or self.pools or self.customers)

    def named(self) -> dict[str, list[str]]:
        """For people and for the audit trail."""
        found = {"disks": self.disks, "pools": self.pools, "customers": self.customers}
        return {name: [str(one) for one in rows][:50] for name, rows in found.items() if rows}


def places_of(planned: MaintenanceWindow | MaintenanceSeries) -> Places:
    """As stored."""
    return Places(list(planned.disks.all()), list(planned.pools.all()), list(planned.customers.all()))


def disks_of(places: Places) -> QuerySet[Disk]:
    """Every disk that they touch, as inventory is now."""
    return Disk.objects.filter(
        Q(pk__in=[one.pk for one in places.disks])
        | Q(pool__in=[one.pk for one in places.pools])
        | Q(machine__customer__in=[one.pk for one in places.customers])
    )


def customers_of(places: Places) -> QuerySet[Customer]:
    """Whose disks these are."""
    return Customer.objects.filter(machines__disks__in=disks_of(places)).distinct()


def check(*, starts_at: datetime, ends_at: datetime, reason: str, places: Places, now: datetime) -> str:
    """The reason, tidied. OddMaintenance."""
    reason = " ".join(reason.split())
    if not 1 <= len(reason) <= 300:
        raise OddMaintenance("reason", f"a reason of {len(reason)} characters: write 1 to 300")
    if not places:
        raise OddMaintenance("disks", "it names no disk, pool or customer: name what is maintained")
    if max(len(places.disks), len(places.pools), len(places.customers)) > MOST_NAMED:
        raise OddMaintenance("disks", f"it names more than {MOST_NAMED}: name the pool or the customer instead")
    if not timedelta(minutes=1) <= ends_at - starts_at <= LONGEST:
        raise OddMaintenance("ends_at", f"it lasts {ends_at - starts_at}: one minute to {LONGEST.days} days")
    if not now - OLDEST <= starts_at <= now + FURTHEST:
        raise OddMaintenance("starts_at", f"it begins at {starts_at:%F %H:%M} UTC: too long ago, or too far ahead")
    return reason


def windows_visible_to(user: User | AnonymousUser) -> QuerySet[MaintenanceWindow]:
    """All for the NOC; a customer's people see those that touch a disk of theirs; a stranger none."""
    if is_noc(user):
        return MaintenanceWindow.objects.all()
    mine = customers_visible_to(user)
    disks = disks_visible_to(user).order_by()
    return MaintenanceWindow.objects.filter(
        Q(pk__in=_through("disks", disk__in=disks.values("pk")))
        | Q(pk__in=_through("pools", pool__in=disks.exclude(pool=None).values("pool")))
        | Q(pk__in=_through("customers", customer__in=mine.values("pk")))
    )


def _through(name: str, **which: object) -> QuerySet[MaintenanceWindow]:
    through = getattr(MaintenanceWindow, name).through
    rows: QuerySet[MaintenanceWindow] = through.objects.filter(**which).values("maintenancewindow")
    return rows


def put_places(planned: MaintenanceWindow | MaintenanceSeries, places: Places) -> None:
    """Store them."""
    planned.disks.set(places.disks)
    planned.pools.set(places.pools)
    planned.customers.set(places.customers)


PLACES = ("disks__machine", "pools", "customers")


def disks_in_windows(windows: Iterable[MaintenanceWindow], user: User | AnonymousUser) -> dict[int, list[int]]:
    """Per window the ids of this person's disks that it touches, in one query. Prefetch `PLACES` for many."""
    places = {window.pk: places_of(window) for window in windows}
    every = Places(*(_together(places.values(), name) for name in ("disks", "pools", "customers")))
    mine = disks_visible_to(user).order_by("pk").filter(pk__in=disks_of(every).values("pk")) if every else []
    rows = [(disk.pk, disk.pool_id, disk.machine.customer_id) for disk in mine]
    return {pk: [row[0] for row in rows if _within(row, where)] for pk, where in places.items()}


def _together(places: Iterable[Places], name: str) -> list[Any]:
    return [one for where in places for one in getattr(where, name)]


def _within(row: tuple[int, int | None, int], where: Places) -> bool:
    disk, pool, customer = row
    return (
        disk in {one.pk for one in where.disks}
        or pool in {one.pk for one in where.pools}
        or customer in {one.pk for one in where.customers}
    )
