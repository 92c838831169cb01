"""Which figures does a row of a list of disks need? Read as plain values: objects cost five times as much."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.db.models import QuerySet

from sla.fleet.models import Disk


class Line(NamedTuple):
    """A disk and how it stands, by the names of `DiskNow`; `state` is None before its first frame."""

    disk: int
    hostname: str
    device: str
    customer: str
    pool: str | None
    state: int | None
    vantage: int | None
    proved: bool | None
    term: int | None
    sli_low: float | None
    sli_high: float | None
    budget_left_estimate: float | None
    iops: float | None
    burn_rate: float | None
    firing: list[str] | None
    slot_start: datetime | None
    seen_at: datetime | None

    @property
    def name(self) -> str:
        return f"{self.hostname} / {self.device}"


OF_DISK = ("pk", "machine__hostname", "device", "machine__customer__name", "pool__name")
FIELDS = (*OF_DISK, *(f"now__{name}" for name in Line._fields[len(OF_DISK) :]))


def lines(disks: QuerySet[Disk]) -> list[Line]:
    """One for each, in their order."""
    return [Line._make(values) for values in disks.select_related(None).values_list(*FIELDS)]


def lines_of(disks: QuerySet[Disk], wanted: Iterable[int]) -> list[Line]:
    """Of those with these ids, in the order of the ids; the order of the list itself is given up."""
    ids = list(wanted)
    found = {line.disk: line for line in lines(disks.order_by().filter(pk__in=ids))}
    return [found[pk] for pk in ids if pk in found]
