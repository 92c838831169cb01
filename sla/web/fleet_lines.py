"""Which figures does a row of a list of disks need? Read as plain values: objects cost five times as much."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet

from sla.domain.states import WORST_FIRST, State
from sla.fleet.models import Disk
from sla.scoring.listing import LAST_RANK, NO_BUDGET


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

    @property
    def badness(self) -> tuple[int, float, int]:
        """Worst first, as `listing.listed` orders."""
        rank = LAST_RANK if self.state is None else WORST_FIRST.index(State(self.state))
        left = NO_BUDGET if self.budget_left_estimate is None else self.budget_left_estimate
        return rank, left, self.disk


OF_DISK = ("pk", "machine__hostname", "device", "machine__customer__name", "pool__name")
FIELDS = (*OF_DISK, *(f"now__{name}" for name in Line._fields[len(OF_DISK) :]))


def lines(disks: QuerySet[Disk]) -> list[Line]:
    """One for each, in their order."""
    return [Line._make(values) for values in disks.select_related(None).values_list(*FIELDS)]


def found_lines(disks: QuerySet[Disk], wanted: Sequence[int], also: Any = None) -> dict[int, Line]:
    """By id those with these ids, and those of a second query of ids, all at once."""
    which: Any = wanted
    if also is not None:
        # One list of ids: with two, joined by OR, the database would read every disk.
        which = Disk.objects.filter(pk__in=wanted).values("pk").union(also, all=True)
    return {line.disk: line for line in lines(disks.order_by().filter(pk__in=which))}
