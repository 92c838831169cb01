"""What did a span of time look like, step by step? Slots or hours added up to even steps, for lines and maps.

Everything is a sum over the step; a step without a row stays empty and is told from one with zeros by `observed_s`.
"""

from dataclasses import dataclass

import numpy as np
import psycopg

from sla.domain.evidence import Ints
from sla.domain.histogram import BUCKETS
from sla.domain.states import State
from sla.domain.verdict import SILENT_S
from sla.scoring import store
from sla.scoring.store import HOUR_S

SUMS = (
    *("observed_s", "read_ios", "write_ios", "read_bytes", "write_bytes", "read_ms", "write_ms", "queue_ms"),
    *("eligible", "slow_low", "slow", "slow_high", "lost_ms"),
)
COUNTS = ("met", "breached", "breached_proved", "excused", "idle", "no_data", "maintenance", "slots", "unproved")
_FROM_SLOTS = (
    *(f"sum({name})::int8" for name in SUMS),
    f"count(*) FILTER (WHERE state = {State.MET:d})",
    f"count(*) FILTER (WHERE state = {State.BREACHED:d})",
    f"count(*) FILTER (WHERE state = {State.BREACHED:d} AND proved)",
    f"count(*) FILTER (WHERE state = {State.EXCUSED:d})",
    f"count(*) FILTER (WHERE state = {State.IDLE:d})",
    f"count(*) FILTER (WHERE state = {State.NO_DATA:d})",
    f"count(*) FILTER (WHERE state = {State.MAINTENANCE:d})",
    "count(*)",
    f"count(*) FILTER (WHERE state = {State.MET:d} AND NOT proved)",
)
_FROM_HOURS = (
    *(f"sum({name})::int8" for name in SUMS),
    *(f"sum(slots_{name})::int8" for name in ("met", "breached", "breached_proved", "excused", "idle", "no_data")),
    "sum(slots - slots_met - slots_breached - slots_excused - slots_idle - slots_no_data)::int8",
    "sum(slots)::int8",
    "sum(slots_met - slots_met_proved)::int8",
)


@dataclass(frozen=True, slots=True)
class Bins:
    """Even steps from `start` (Unix seconds). `sums`: name of SUMS or COUNTS -> (steps,)."""

    start: int
    step_s: int
    sums: dict[str, Ints]

    def __len__(self) -> int:
        return len(self.sums["slots"])

    @property
    def starts(self) -> Ints:
        """(steps,) when each begins."""
        return self.start + self.step_s * np.arange(len(self), dtype=np.int64)

    def merged(self, start: int, end: int, step_s: int) -> "Bins":
        """The steps of `step_s`, a multiple of this one's, that touch [start, end); what is not here stays empty."""
        first, steps = grid(start, end, step_s)
        before, each = (self.start - first) // self.step_s, step_s // self.step_s
        after = steps * each - before - len(self)
        sums = {}
        for name, values in self.sums.items():
            inside = values[max(0, -before) : len(values) + min(0, after)]
            padded = np.pad(inside, (max(0, before), max(0, after)))
            sums[name] = padded.reshape(steps, each).sum(axis=1)
        return Bins(first, step_s, sums)

    def ratio(self, part: Ints, whole: Ints) -> list[float | None]:
        """part / whole; None where there is nothing to divide by: a gap, never a zero."""
        divided = (part / np.where(whole == 0, 1, whole)).round(4).tolist()
        return [value if by else None for value, by in zip(divided, whole.tolist(), strict=True)]


def grid(start: int, end: int, step_s: int) -> tuple[int, int]:
    """First edge and number of whole steps of the epoch's grid that touch [start, end)."""
    first = start // step_s * step_s
    return first, -(-(end - first) // step_s)


def bins_between(disk_id: int, vantage: int, start: int, end: int, step_s: int) -> Bins:
    """Sums of the steps that touch [start, end). From hours where the step holds whole hours, else from slots."""
    first, steps = grid(start, end, step_s)
    hours = step_s % HOUR_S == 0
    table, values = ("scoring_hour", _FROM_HOURS) if hours else ("scoring_slot", _FROM_SLOTS)
    with store.reading() as cursor:
        rows = cursor.execute(
            f"""
            SELECT (extract(epoch FROM start)::int8 - {first}) / {step_s} AS step, {", ".join(values)}
            FROM {table} WHERE disk_id = %s AND vantage = %s
              AND start >= to_timestamp({first}) AND start < to_timestamp({first + steps * step_s})
            GROUP BY step ORDER BY step
            """,  # noqa: S608
            [disk_id, vantage],
            binary=True,
        ).fetchall()
    found = np.array(rows, np.int64).reshape(len(rows), 1 + len(SUMS) + len(COUNTS))
    table_of = np.zeros((steps, found.shape[1] - 1), np.int64)
    table_of[found[:, 0]] = found[:, 1:]
    return Bins(first, step_s, dict(zip((*SUMS, *COUNTS), table_of.T, strict=True)))


def histograms_between(disk_id: int, vantage: int, start: int, end: int, step_s: int) -> Ints:
    """(steps, BUCKETS): the merged histograms of the same steps. Hours that are not merged yet come from slots."""
    first, steps = grid(start, end, step_s)
    last = first + steps * step_s
    total = np.zeros((steps, BUCKETS), np.int64)
    with store.reading() as cursor:
        if step_s % HOUR_S:
            _add(total, _stored(cursor, "scoring_slot", disk_id, vantage, [(first, last)]), first, step_s)
            return total
        rows = _stored(cursor, "scoring_hour", disk_id, vantage, [(first, last)])
        # An hour may hold several rows (contract version, exclusion): one not merged sends all of it to its slots.
        late = {hour for hour, packed in rows if packed is None}
        _add(total, [row for row in rows if row[0] not in late], first, step_s)
        if late:
            spans = [(hour, hour + HOUR_S) for hour in sorted(late)]
            _add(total, _stored(cursor, "scoring_slot", disk_id, vantage, spans), first, step_s)
    return total


def _stored(
    cursor: "psycopg.Cursor[tuple]", table: str, disk_id: int, vantage: int, spans: list[tuple[int, int]]
) -> list[tuple[int, bytes | None]]:
    inside = " OR ".join(f"start >= to_timestamp({a}) AND start < to_timestamp({b})" for a, b in spans)
    return cursor.execute(
        f"SELECT extract(epoch FROM start)::int8, hist FROM {table} WHERE disk_id = %s AND vantage = %s "  # noqa: S608
        f"AND ({inside})",
        [disk_id, vantage],
        binary=True,
    ).fetchall()


def _add(total: Ints, rows: list[tuple[int, bytes | None]], first: int, step_s: int) -> None:
    if not rows:
        return
    packed = [bytes(hist or b"") for _, hist in rows]
    pairs = np.frombuffer(b"".join(packed), "<u4").reshape(-1, 2).astype(np.int64)
    step = np.repeat([(start - first) // step_s for start, _ in rows], [len(one) // 8 for one in packed])
    np.add.at(total, (step, pairs[:, 0]), pairs[:, 1])


def states(bins: Bins, now: float, first_at: float | None) -> list[str | None]:
    """The word of each step: that of its worst slot. None: before the disk's first frame, or still to come."""
    words: list[str | None] = []
    heard_until = now - SILENT_S  # frames of the last minutes are on their way
    names = ("observed_s", *COUNTS)
    columns = [bins.sums[name].tolist() for name in names]
    for start, *counts in zip(bins.starts.tolist(), *columns, strict=True):
        got = dict(zip(names, counts, strict=True))
        end = start + bins.step_s
        begun = first_at if first_at is not None else now
        due = min(end, heard_until) - max(start, begun)
        if not got["slots"] and due <= 0:
            words.append(None)
        elif got["breached"]:
            words.append("breached")
        elif 2 * got["observed_s"] < due and not got["maintenance"]:
            words.append("no_data")
        else:
            words.append(next((w for w in ("maintenance", "excused", "met", "idle") if got[w]), "no_data"))
    return words
