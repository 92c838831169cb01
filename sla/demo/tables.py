"""How do slots that were judged in bulk become rows of the slots', hours' and days' tables?"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import psycopg

from sla.demo import copying
from sla.domain.evidence import UNKNOWN, Bools, Ints
from sla.domain.histogram import BUCKETS, UPPER_US
from sla.domain.slot import Slots
from sla.domain.states import State
from sla.fleet.vantage import Vantage
from sla.scoring.columns import COUNTED, KEY, ROLLED, SUMMED, sums_of_roll_ups
from sla.scoring.store import DAY_S, SLOT_COLUMNS


@dataclass(frozen=True, slots=True)
class Cells:
    """Where the I/Os of R slots lie: R40 bucket and count, (R, K) each."""

    bucket: Ints
    count: Ints

    def percentiles_us(self, shares: tuple[int, ...]) -> Ints:
        """(R, shares) as `sla.domain.histogram.percentiles_us` of the dense table, in a tenth of its time."""
        order = np.argsort(self.bucket, axis=1)
        bucket = np.clip(np.take_along_axis(self.bucket, order, axis=1), -1, BUCKETS - 2)
        seen = np.cumsum(np.take_along_axis(self.count, order, axis=1), axis=1)
        total = seen[:, -1]
        rows = np.arange(len(seen))
        at = [np.argmax(seen * 100 >= share * total[:, None], axis=1) for share in shares]
        return np.column_stack([np.where(total > 0, UPPER_US[bucket[rows, place] + 1], UNKNOWN) for place in at])

    def table(self, rows: Ints, groups: int) -> Ints:
        """(groups, BUCKETS): cells added up, slot r going to group rows[r]."""
        place = (rows[:, None] * BUCKETS + np.clip(self.bucket, -1, BUCKETS - 2) + 1).ravel()
        flat = np.bincount(place, self.count.ravel(), minlength=groups * BUCKETS)
        return flat.astype(np.int64).reshape(groups, BUCKETS)


@dataclass(frozen=True, slots=True)
class Judged:
    """R slots of one side, those nobody observed left out: whose, when, by which term, and what they were worth."""

    vantage: Vantage
    disk: Ints
    start: Ints
    term: Ints
    excluded: Bools
    slots: Slots
    cells: Cells

    def __len__(self) -> int:
        return len(self.disk)


def taken(slots: Slots, keep: Ints) -> Slots:
    """Some of the slots; their histograms stay behind, they lie in cells."""
    flat = {one.name: getattr(slots, one.name)[keep] for one in fields(slots) if one.name != "hist"}
    return Slots(**flat, hist=slots.hist)


def packed(table: Ints) -> list[bytes]:
    """Dense histograms as stored (pairs of position and count), as `sla.domain.histogram.pack` makes one."""
    row, position = np.nonzero(table)
    pairs = np.column_stack((position, np.minimum(table[row, position], np.iinfo(np.uint32).max))).astype("<u4")
    flat = pairs.tobytes()
    sizes = np.bincount(row, minlength=len(table)) * pairs.dtype.itemsize * 2
    ends = np.cumsum(sizes)
    starts = ends - sizes
    return [flat[first:last] for first, last in zip(starts.tolist(), ends.tolist(), strict=True)]


def put_slots(cursor: "psycopg.Cursor[tuple]", judged: Judged, hists: Sequence[bytes]) -> int:
    """Into the slots' table, where none of them may be yet."""
    given = {
        "disk_id": judged.disk,
        "vantage": np.full(len(judged), judged.vantage),
        "start": judged.start,
        "term": judged.term,
        "excluded": judged.excluded,
        "gap_ios": judged.slots.inner_gap_ios,
        "gap_ms": judged.slots.inner_gap_ms,
    }
    columns: dict[str, copying.Column] = {
        name: given[name] if name in given else getattr(judged.slots, name) for name in SLOT_COLUMNS if name != "hist"
    }
    return copying.put(cursor, "scoring_slot", {**columns, "hist": hists})


def put_roll_ups(cursor: "psycopg.Cursor[tuple]", judged: Judged, length_s: int = 3_600) -> int:
    """Hours (or whole days, by their length) of these slots; all slots of each of them must be among these."""
    if not len(judged):
        return 0
    begin = judged.start // length_s * length_s
    keys = np.stack((judged.disk, begin, judged.term, judged.excluded.astype(np.int64)))
    heads, where = grouped(keys)
    parts, count = keys[:, heads], len(heads)
    sums = sums_of(judged.slots, where, count)
    columns: dict[str, copying.Column] = {
        "disk_id": parts[0],
        "vantage": np.full(count, judged.vantage),
        "start": parts[1],
        "term": parts[2],
        "excluded": parts[3].astype(bool),
        **{name: sums[name] for name in ROLLED},
        "hist": packed(judged.cells.table(where, count)),
    }
    return copying.put(cursor, "scoring_day" if length_s == DAY_S else "scoring_hour", columns)


def grouped(keys: Ints) -> tuple[Ints, Ints]:
    """(one row of each group, the group of each row) of (columns, R) keys. Rows lie mostly side by side with theirs."""
    changes = np.flatnonzero((keys[:, 1:] != keys[:, :-1]).any(axis=0)) + 1
    heads = np.concatenate(([0], changes))
    run = np.zeros(keys.shape[1], np.int64)
    run[changes] = 1
    # Two runs of one group: an hour that was cut by a maintenance window.
    _, first, group = np.unique(keys[:, heads], axis=1, return_index=True, return_inverse=True)
    return heads[first], group.reshape(-1)[np.cumsum(run)]


def sums_of(slots: Slots, where: Ints, groups: int) -> dict[str, Ints]:
    """ROLLED of each group, slot r belonging to group where[r]: the sums that SQL makes of stored slots."""
    is_state = {state: slots.state == state for state in State}
    counted = {
        "slots": np.ones(len(where), bool),
        "slots_met": is_state[State.MET],
        "slots_met_proved": is_state[State.MET] & slots.proved,
        "slots_breached": is_state[State.BREACHED],
        "slots_breached_proved": is_state[State.BREACHED] & slots.proved,
        "slots_excused": is_state[State.EXCUSED],
        "slots_idle": is_state[State.IDLE],
        "slots_no_data": is_state[State.NO_DATA],
    }
    values = {"gap_ios": slots.inner_gap_ios, "gap_ms": slots.inner_gap_ms}
    out = {name: _added(counted[name], where, groups) for name in COUNTED}
    for name in SUMMED:
        out[name] = _added(values[name] if name in values else getattr(slots, name), where, groups)
    out["grade"] = np.zeros(groups, np.int64)
    np.maximum.at(out["grade"], where, slots.grade)
    return out


def _added(values: np.ndarray, where: Ints, groups: int) -> Ints:
    return np.bincount(where, values.astype(np.float64), minlength=groups).astype(np.int64)


def add_up_days(cursor: "psycopg.Cursor[tuple]", disks: Sequence[int], start: int, end: int) -> int:
    """Days of these disks in [start, end), from their hours, as scoring itself adds them up."""
    return cursor.execute(
        f"""
        INSERT INTO scoring_day ({", ".join((*KEY, *ROLLED))})
        SELECT disk_id, vantage, date_trunc('day', start, 'UTC') AS day, term, excluded, {sums_of_roll_ups()}
        FROM scoring_hour
        WHERE disk_id = ANY(%s) AND start >= to_timestamp({int(start)}) AND start < to_timestamp({int(end)})
        GROUP BY disk_id, vantage, day, term, excluded
        ON CONFLICT ({", ".join(KEY)}) DO UPDATE SET hist = NULL,
            {", ".join(f"{name} = EXCLUDED.{name}" for name in ROLLED)}
        """,  # noqa: S608
        [list(disks)],
    ).rowcount
