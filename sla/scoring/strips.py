"""What did the last minutes of many disks look like? For lists of disks: one query each, whatever their number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sla.domain.evidence import MINUTE_S
from sla.domain.states import State
from sla.scoring import store
from sla.scoring.store import Key


@dataclass(frozen=True, slots=True)
class Cell:
    """A minute: its state, None where there is no slot, and whether that is proved."""

    start: int
    state: State | None
    proved: bool


def strips(vantages: Mapping[int, int], end: int, minutes: int = 60) -> dict[int, list[Cell]]:
    """Per disk (with the vantage that judges it) its last whole minutes before `end` (Unix seconds), oldest first."""
    last = end // MINUTE_S * MINUTE_S
    first = last - minutes * MINUTE_S
    if not vantages:
        return {}
    with store.reading() as cursor:
        rows = cursor.execute(
            f"SELECT disk_id, extract(epoch FROM start)::int8, state, proved FROM scoring_slot "  # noqa: S608
            f"JOIN unnest(%s::int8[], %s::int2[]) AS wanted (disk, side) ON disk_id = disk AND vantage = side "
            f"WHERE start >= to_timestamp({first}) AND start < to_timestamp({last})",
            [list(vantages), list(vantages.values())],
        ).fetchall()
    seen = {(disk, start): (State(state), proved) for disk, start, state, proved in rows}
    return {
        disk: [Cell(at, *seen.get((disk, at), (None, True))) for at in range(first, last, MINUTE_S)]
        for disk in vantages
    }


def p99_ms(keys: Sequence[Key]) -> dict[int, float]:
    """Per disk the 99th percentile of one of its slots (disk, vantage, start); disks without one are left out."""
    if not keys:
        return {}
    with store.reading() as cursor:
        rows = cursor.execute(
            f"SELECT disk_id, p99_us FROM scoring_slot JOIN {store.KEYS} "  # noqa: S608
            f"USING (disk_id, vantage) "
            f"WHERE {store.span(keys)} AND start = to_timestamp(minute) AND p99_us IS NOT NULL",
            store.arrays(keys),
        ).fetchall()
    return {disk: p99 / 1000 for disk, p99 in rows}
