"""Where do the minutes of pools come from and go to? Slots in, pool minutes out and in again, all by sets.

Every function runs on a psycopg cursor of the caller's; times are Unix seconds.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import psycopg

from sla.domain.neighbours.slots import Floats, Ints, PoolSlots
from sla.neighbours.figures import OF_A_MINUTE, STEP_S, pack_minute, unpack_minute

Cursor = psycopg.Cursor[tuple]


def moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


@dataclass(frozen=True, slots=True)
class Member:
    """A disk in a pool, from and to (Unix seconds; infinite where nobody said)."""

    disk: int
    begin: float
    end: float


def members(cursor: Cursor, pools: Sequence[int], start: int, end: int) -> dict[int, list[Member]]:
    """The disks of these pools in [start, end), by pool, in order of id: by their history, else by where they are.

    Where a disk was first said to be it has always been: inventory comes later than the disks.
    """
    rows = cursor.execute(
        """
        SELECT m.pool_id, m.disk_id,
               CASE WHEN m.valid_from = first.at THEN '-infinity' ELSE extract(epoch FROM m.valid_from) END,
               coalesce(extract(epoch FROM m.valid_to), 'infinity')
        FROM fleet_poolmembership m, LATERAL (
            SELECT min(valid_from) AS at FROM fleet_poolmembership WHERE disk_id = m.disk_id) AS first
        WHERE m.pool_id = ANY(%s) AND (m.valid_from = first.at OR m.valid_from < to_timestamp(%s))
          AND (m.valid_to IS NULL OR m.valid_to > to_timestamp(%s))
        UNION ALL
        SELECT d.pool_id, d.id, '-infinity', 'infinity' FROM fleet_disk d
        WHERE d.pool_id = ANY(%s) AND NOT EXISTS (SELECT 1 FROM fleet_poolmembership m WHERE m.disk_id = d.id)
        ORDER BY 1, 2, 3
        """,
        [list(pools), end, start, list(pools)],
    )
    found: dict[int, list[Member]] = defaultdict(list)
    for pool, disk, begin, until in rows:
        found[pool].append(Member(disk, float(begin), float(until)))
    return found


@dataclass(frozen=True, slots=True)
class Measured:
    """Slots of one pool: which disks, and their figures."""

    disks: list[int]
    slots: PoolSlots


def measured(cursor: Cursor, pools: Sequence[int], start: int, end: int) -> dict[int, Measured]:
    """Slots of these pools in [start, end), every minute of it."""
    inside = members(cursor, pools, start, end)
    wanted = sorted({one.disk for listed in inside.values() for one in listed})
    slots = slots_of(cursor, wanted, start, end)
    row_of = {disk: place for place, disk in enumerate(wanted)}
    table = np.stack((slots.ios, slots.size_bytes, slots.time_ms))
    return {pool: _of_a_pool(listed, row_of, table, slots.starts) for pool, listed in inside.items()}


def slots_of(cursor: Cursor, disks: Sequence[int], start: int, end: int) -> PoolSlots:
    """Of these disks (rising ids), every minute of [start, end); the guest's, or the host's where there is no other."""
    minutes = np.arange(start, end, STEP_S, dtype=np.int64)
    table = np.full((3, len(disks), len(minutes)), np.nan)
    rows = cursor.execute(
        f"""
        SELECT disk_id, extract(epoch FROM start)::int8, read_ios + write_ios, read_bytes + write_bytes,
               read_ms::int8 + write_ms
        FROM scoring_slot
        WHERE disk_id = ANY(%s) AND vantage = ANY(ARRAY[1, 2]) AND observed_s >= 30
          AND start >= to_timestamp({int(start)}) AND start < to_timestamp({int(end)})
        ORDER BY vantage DESC
        """,  # noqa: S608  (only integers of ours are written into the text)
        [list(disks)],
        binary=True,
    ).fetchall()
    if rows:
        columns = np.array(rows, np.int64)
        at = np.searchsorted(disks, columns[:, 0])
        # The guest's rows come last and stay.
        table[:, at, (columns[:, 1] - start) // STEP_S] = columns[:, 2:].T
    return PoolSlots(STEP_S, minutes, table[0], table[1], table[2])


def _of_a_pool(listed: list[Member], row_of: dict[int, int], table: Floats, minutes: Ints) -> Measured:
    disks = sorted({one.disk for one in listed})
    here = np.zeros((len(disks), len(minutes)), np.bool_)
    place = {disk: row for row, disk in enumerate(disks)}
    for one in listed:
        here[place[one.disk]] |= (minutes >= one.begin) & (minutes < one.end)
    figures = np.where(here, table[:, [row_of[disk] for disk in disks]], np.nan)
    return Measured(disks, PoolSlots(STEP_S, minutes, figures[0], figures[1], figures[2]))


@dataclass(frozen=True, slots=True)
class Minutes:
    """Pool minutes that were stored, in order: figures as slots, log slowdowns (D, S), and the pool's own columns."""

    disks: list[int]
    slots: PoolSlots
    slower: Floats
    signal: Floats
    over: Floats
    drift: Floats
    calm: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]"


def stored(cursor: Cursor, pool: int, start: int, end: int) -> Minutes:
    """The minutes of one pool in [start, end); disks that were not in it all the time are unknown elsewhere."""
    return stored_of(cursor, [pool], start, end)[pool]


def stored_of(cursor: Cursor, pools: Sequence[int], start: int, end: int) -> dict[int, Minutes]:
    """The same for several pools."""
    rows = cursor.execute(
        """
        SELECT pool_id, extract(epoch FROM start)::int8, disks, figures, signal, over, drift, calm
        FROM neighbours_poolminute
        WHERE pool_id = ANY(%s) AND start >= to_timestamp(%s) AND start < to_timestamp(%s) ORDER BY pool_id, start
        """,
        [list(pools), start, end],
        binary=True,
    ).fetchall()
    of_pool: dict[int, list[tuple]] = {pool: [] for pool in pools}
    for row in rows:
        of_pool[row[0]].append(row[1:])
    return {pool: _minutes(listed) for pool, listed in of_pool.items()}


def _minutes(rows: list[tuple]) -> Minutes:
    members_of = [tuple(row[1]) for row in rows]
    disks = sorted({disk for listed in set(members_of) for disk in listed})
    places = {listed: np.searchsorted(disks, listed) for listed in set(members_of)}
    table = np.full((OF_A_MINUTE, len(disks), len(rows)), np.nan)
    for column, (row, listed) in enumerate(zip(rows, members_of, strict=True)):
        table[:, places[listed], column] = unpack_minute(row[2])
    starts = np.array([row[0] for row in rows], np.int64)
    scalars = [[np.nan if row[place] is None else row[place] for row in rows] for place in (3, 4, 5)]
    signal, over, drift = (np.array(values, np.float64) for values in scalars)
    calm = np.array([row[6] for row in rows], np.bool_)
    return Minutes(disks, PoolSlots(STEP_S, starts, table[0], table[1], table[2]), table[3], signal, over, drift, calm)


@dataclass(frozen=True, slots=True)
class Before:
    """What must be known of a pool to go on: its own columns of the last hours, (S,), and its last few minutes."""

    starts: list[int]
    signal: list[float]
    drift: list[float]
    calm: list[bool]
    over: list[float]
    tail: Minutes


def before(cursor: Cursor, pools: Sequence[int], start: int, hours_s: int, tail_s: int) -> dict[int, Before]:
    """The last `hours_s` before `start` of these pools, and the last `tail_s` with their disks."""
    columns: dict[int, tuple[list[int], list[float], list[float], list[bool], list[float]]] = {
        pool: ([], [], [], [], []) for pool in pools
    }
    nothing = float("nan")
    for pool, at, signal, drift, calm, over in cursor.execute(
        """
        SELECT pool_id, extract(epoch FROM start)::int8, signal, drift, calm, over FROM neighbours_poolminute
        WHERE pool_id = ANY(%s) AND start >= to_timestamp(%s) AND start < to_timestamp(%s) ORDER BY pool_id, start
        """,
        [list(pools), start - hours_s, start],
        binary=True,
    ):
        starts, signals, drifts, calms, overs = columns[pool]
        starts.append(at)
        signals.append(nothing if signal is None else signal)
        drifts.append(drift)
        calms.append(calm)
        overs.append(nothing if over is None else over)
    tails = stored_of(cursor, pools, start - tail_s, start)
    return {pool: Before(*columns[pool], tail=tails[pool]) for pool in pools}


@dataclass(frozen=True, slots=True)
class Put:
    """Minutes of a pool to be stored; arrays as in `Minutes`."""

    pool: int
    minutes: Minutes


def put_minutes(cursor: Cursor, puts: Sequence[Put], start: int, end: int) -> None:
    """Replace the minutes of these pools in [start, end)."""
    cursor.execute(
        """
        DELETE FROM neighbours_poolminute
        WHERE pool_id = ANY(%s) AND start >= to_timestamp(%s) AND start < to_timestamp(%s)
        """,
        [[one.pool for one in puts], start, end],
    )
    columns = "pool_id, start, disks, figures, signal, over, drift, calm"
    with cursor.copy(f"COPY neighbours_poolminute ({columns}) FROM STDIN (FORMAT BINARY)") as copy:
        copy.set_types(["int8", "timestamptz", "int4[]", "bytea", "float8", "float8", "float8", "bool"])
        for one in puts:
            for row in _rows(one):
                copy.write_row(row)


def _rows(put: Put) -> Iterable[tuple[object, ...]]:
    minutes = put.minutes
    slots = minutes.slots
    table = np.stack((slots.ios, slots.size_bytes, slots.time_ms, minutes.slower)).astype("<f4")
    for place, start in enumerate(slots.starts.tolist()):
        signal, over = minutes.signal[place], minutes.over[place]
        yield (
            put.pool,
            moment(start),
            minutes.disks,
            pack_minute(table[:, :, place]),
            None if np.isnan(signal) else float(signal),
            None if np.isnan(over) else float(over),
            float(minutes.drift[place]),
            bool(minutes.calm[place]),
        )
