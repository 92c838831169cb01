"""What was each month worth for these disks? Closed ones as they were written down, the open one so far."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sla.domain.period import Period, period_of
from sla.domain.states import State
from sla.fleet.models import Disk
from sla.fleet.vantage import Vantage
from sla.scoring.fleet import fleet_month, words
from sla.scoring.models import Correction, DiskNow
from sla.scoring.terms import contract_of

STATES = {state.word: state for state in State}


@dataclass(frozen=True, slots=True)
class Cell:
    """A disk's month. `number`: of the correction it stands at, 0 the closing, None while it is open."""

    state: State
    proved: bool
    low: float | None
    high: float | None
    number: int | None
    credit_percent: int | None


def months_until(now: datetime, count: int) -> list[Period]:
    """The month that runs and those before it, oldest first."""
    found = [period_of(now)]
    while len(found) < count:
        found.append(found[-1].previous())
    return found[::-1]


def matrix(disks: Sequence[Disk], periods: Sequence[Period], now: datetime) -> dict[int, dict[str, Cell]]:
    """Per disk and '2026-11' what is known of it; a month that nothing is known of has no cell. `now` joined."""
    cells: dict[int, dict[str, Cell]] = defaultdict(dict)
    stands = {disk.pk: row for disk in disks if (row := getattr(disk, "now", None)) is not None}
    for disk, row in stands.items():
        if row.period:
            cells[disk][row.period] = _so_far(row)
    for (zone, vantage), listed in _sides(stands).items():
        before = period_of(now, zone).previous()
        if now < before.closes_at:  # over, and not yet closed
            for one in words(fleet_month(before, now, vantage=vantage, disks=listed)):
                cells[int(str(one["disk"]))][before.text] = _cell(one, None)
    written = Correction.objects.filter(disk__in=stands, period__in=[period.text for period in periods])
    for row in written.order_by("number"):
        if row.vantage == stands[row.disk_id].vantage:
            cells[row.disk_id][row.period] = _cell(row.score, row.number)
    return cells


def _sides(stands: dict[int, DiskNow]) -> dict[tuple[str, int], list[int]]:
    """Disks by the zone their months are cut in and the vantage that judges them."""
    found: dict[tuple[str, int], list[int]] = defaultdict(list)
    for disk, row in stands.items():
        zone = contract_of(row.term).zone if row.term else "UTC"
        found[zone, int(Vantage(row.vantage))].append(disk)
    return found


def _so_far(row: DiskNow) -> Cell:
    return Cell(State(row.period_state), row.proved, row.sli_low, row.sli_high, None, None)


def _cell(score: dict, number: int | None) -> Cell:
    credit = score.get("credit") or {}
    return Cell(
        STATES[score["state"]],
        bool(score["proved"]),
        score["sli"]["low"],
        score["sli"]["high"],
        number,
        credit.get("proved_percent"),
    )
