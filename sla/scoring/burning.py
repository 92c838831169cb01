"""How fast does the budget of these disks burn? The windows of semantics §6, and the acute rule."""

from collections.abc import Iterable, Sequence

import numpy as np
import psycopg

from sla.domain.burn import WINDOWS_S, acute_at
from sla.domain.evidence import MINUTE_S, Ints, known
from sla.scoring.settle import Batch
from sla.scoring.store import Key

# Longer windows come from hours: six hours of slots are 360 rows, three days would be 4,320.
FROM_SLOTS_S = 21_600


def windows(
    cursor: "psycopg.Cursor[tuple]", disks: Iterable[int], vantage: int, end: int
) -> dict[int, dict[int, tuple[int, int]]]:
    """Per disk: window length -> (slow, eligible) by estimate, all windows ending at `end` (Unix seconds)."""
    listed = list(disks)
    found: dict[int, dict[int, tuple[int, int]]] = {disk: {} for disk in listed}
    for table, lengths in (
        ("scoring_slot", [w for w in WINDOWS_S if w <= FROM_SLOTS_S]),
        ("scoring_hour", [w for w in WINDOWS_S if w > FROM_SLOTS_S]),
    ):
        totals = ", ".join(
            f"coalesce(sum({name}) FILTER (WHERE start >= to_timestamp({end - length})), 0)::int8"
            for length in lengths
            for name in ("slow", "eligible")
        )
        rows = cursor.execute(
            f"""
            SELECT disk_id, {totals} FROM {table}
            WHERE disk_id = ANY(%b) AND vantage = {int(vantage)} AND NOT excluded
              AND start >= to_timestamp({end - max(lengths)}) AND start < to_timestamp({end})
            GROUP BY disk_id
            """,  # noqa: S608
            [listed],
        )
        got = {disk: values for disk, *values in rows}
        for disk in listed:
            figures = got.get(disk, [0] * (2 * len(lengths)))
            for place, length in enumerate(lengths):
                found[disk][length] = (figures[2 * place], figures[2 * place + 1])
    return found


def looks_acute(batch: Batch) -> list[int]:
    """Indices of slots in which some second was wholly bad: only those can make the acute rule hold."""
    steps = batch.steps
    bad = ((steps.slow > 0) & (2 * steps.slow >= steps.covered)) | (steps.lost_ms > 0)
    return sorted(set(batch.evidence.slot[np.flatnonzero(bad.any(axis=1))].tolist()))


def acute_moment(batch: Batch, index: int, earlier: Batch | None, place: int | None) -> int | None:
    """When (Unix seconds) the acute rule last held in a slot, given the slot before it; None if it never did."""
    minute = batch.judged[index].key[2]
    lines = _timeline(batch, index)
    if earlier is not None and place is not None:
        lines = np.concatenate((_timeline(earlier, place), lines), axis=1)
    at = acute_at(*lines)
    if at is None:
        return None
    moment = minute + MINUTE_S - lines.shape[1] + at + 1
    return moment if moment > minute else None


def _timeline(batch: Batch, index: int) -> Ints:
    """(5, 60): covered, slow, read and write time over the threshold in µs, lost ms, second by second."""
    lines = np.zeros((5, MINUTE_S), np.int64)
    contract = batch.contracts[index]
    if contract is None:
        return lines
    e, steps = batch.evidence, batch.steps
    for frame in np.flatnonzero(e.slot == index):
        n = int(e.n[frame])
        at = e.offset_s[frame] + (np.arange(n) + 1) * e.step_s[frame] - 1
        seen = steps.observed[frame, :n]
        over = [
            known(e.columns[f"{side}_ms"][frame, :n]) * 1000 - known(e.columns[f"{side}_ios"][frame, :n]) * threshold
            for side, threshold in zip(("read", "write"), contract.thresholds_us, strict=True)
        ]
        for line, values in enumerate(
            (steps.covered[frame, :n], steps.slow[frame, :n], over[0], over[1], steps.lost_ms[frame, :n])
        ):
            lines[line, at] = np.where(seen, values, 0)
    return lines


def minutes_before(batch: Batch, indices: Sequence[int]) -> list[Key]:
    """The minutes before these slots."""
    return [(disk, vantage, minute - MINUTE_S) for disk, vantage, minute in (batch.judged[i].key for i in indices)]
