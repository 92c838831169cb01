"""How do scores come into their tables? Slots replaced, hours and days added up from them, all by sets.

Every function runs in the caller's transaction, on a psycopg cursor that binds on the server's side.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import psycopg
from django.db import connection, transaction

from sla.domain.evidence import UNKNOWN
from sla.domain.histogram import pack
from sla.domain.slot import Slots
from sla.scoring.columns import KEY, ROLLED, sums_of_roll_ups, sums_of_slots
from sla.scoring.frames import StoredFrames
from sla.scoring.terms import moment

HOUR_S, DAY_S = 3_600, 86_400
NEAR_S = 3_600
MANY = 20
FAR_S = 40 * DAY_S  # further back than frames are kept

# A minute of one disk and side: (disk, vantage, start in Unix seconds).
Key = tuple[int, int, int]

SLOT_COLUMNS = (
    *("disk_id", "vantage", "start", "term", "excluded", "state", "proved", "reason", "grade", "observed_s", "fine_ms"),
    *("read_ios", "write_ios", "read_bytes", "write_bytes", "read_ms", "write_ms", "queue_ms", "in_flight"),
    *("eligible_low", "eligible", "eligible_high", "slow_low", "slow", "slow_high", "lost_ms", "gap_ios", "gap_ms"),
    *("p50_us", "p95_us", "p99_us"),
    *("first_boot", "first_ios", "first_ms", "last_boot", "last_ios", "last_ms", "hist"),
)


@contextmanager
def transacting() -> Iterator["psycopg.Cursor[tuple]"]:
    """One transaction on a cursor of our own: Django's binds on the client side."""
    with transaction.atomic():
        connection.ensure_connection()
        with psycopg.Cursor(connection.connection) as cursor:
            yield cursor


@contextmanager
def reading() -> Iterator["psycopg.Cursor[tuple]"]:
    """The same cursor without a transaction."""
    connection.ensure_connection()
    with psycopg.Cursor(connection.connection) as cursor:
        yield cursor


def arrays(keys: Iterable[Key]) -> list[list[int]]:
    """Keys as three arrays for unnest."""
    listed = list(keys)
    return [[key[place] for key in listed] for place in range(3)]


KEYS = "unnest(%b::int8[], %b::int2[], %b::int8[]) AS due (disk_id, vantage, minute)"


def span(keys: Iterable[Key], before: int = 0, after: int = 60) -> str:
    """Plain bounds on `start`, so that the planner opens only the chunks that can hold these minutes."""
    minutes = [key[2] for key in keys]
    return f"start >= to_timestamp({min(minutes) - before}) AND start < to_timestamp({max(minutes) + after})"


def claim(cursor: "psycopg.Cursor[tuple]", limit: int) -> tuple[int, set[Key]]:
    """Take up to `limit` marks that nobody else is working on: (marks, minutes).

    As an array they are chosen once; as a subquery the planner may choose anew for each row it looks at.
    """
    rows = cursor.execute(
        """
        DELETE FROM telemetry_dueslot WHERE id = ANY(ARRAY(
            SELECT id FROM telemetry_dueslot ORDER BY id LIMIT %s FOR UPDATE SKIP LOCKED))
        RETURNING disk_id, vantage, extract(epoch FROM start)::int8
        """,
        [limit],
    ).fetchall()
    return len(rows), set(rows)


def lock_disks(cursor: "psycopg.Cursor[tuple]", disks: Iterable[int]) -> set[int]:
    """Score a disk one at a time; what is read after this is newer than what anybody wrote before. Those that exist:
    marks and frames have no constraint that would have gone with a disk that was deleted.

    Always in order of id, so that two workers cannot wait for each other.
    """
    found = cursor.execute(
        "SELECT id FROM fleet_disk WHERE id = ANY(%b) ORDER BY id FOR NO KEY UPDATE", [sorted(set(disks))]
    ).fetchall()
    return {disk for (disk,) in found}


def frames_of(cursor: "psycopg.Cursor[tuple]", keys: Sequence[Key]) -> StoredFrames:
    """All frames of these minutes."""
    if len(keys) > MANY and len({key[:2] for key in keys}) == 1:
        return _frames_of_one(cursor, keys)
    rows = cursor.execute(
        f"""
        SELECT frame.* FROM {KEYS}, LATERAL (
            SELECT disk_id, vantage, extract(epoch FROM start)::int8, step_s, n, source, boot, body
            FROM telemetry_frame AS f
            WHERE f.disk_id = due.disk_id AND f.vantage = due.vantage AND {span(keys)}
              AND f.start >= to_timestamp(due.minute) AND f.start < to_timestamp(due.minute + 60)) AS frame
        """,  # noqa: S608  (only integers of ours are written into the text)
        arrays(keys),
        binary=True,
    )
    return StoredFrames.of(rows.fetchall())


def _frames_of_one(cursor: "psycopg.Cursor[tuple]", keys: Sequence[Key]) -> StoredFrames:
    """Many minutes of one disk and side: one range, and what was not asked for left out."""
    minutes = [key[2] for key in keys]
    frames = frames_between(cursor, *keys[0][:2], min(minutes), max(minutes) + 60)
    asked = np.isin(frames.minute, minutes)
    return frames if asked.all() else frames.take(np.flatnonzero(asked))


def frames_between(cursor: "psycopg.Cursor[tuple]", disk_id: int, vantage: int, start: int, end: int) -> StoredFrames:
    """All frames of one disk and side that begin in [start, end), in order."""
    rows = cursor.execute(
        f"""
        SELECT disk_id, vantage, extract(epoch FROM start)::int8, step_s, n, source, boot, body
        FROM telemetry_frame WHERE disk_id = %s AND vantage = %s
          AND start >= to_timestamp({int(start)}) AND start < to_timestamp({int(end)}) ORDER BY start
        """,  # noqa: S608
        [disk_id, vantage],
        binary=True,
    )
    return StoredFrames.of(rows.fetchall())


def following(cursor: "psycopg.Cursor[tuple]", keys: Sequence[Key], until: int) -> set[Key]:
    """The slots that come next after these minutes: their gap changes with what lies before them."""
    rows = cursor.execute(
        f"""
        SELECT due.disk_id, due.vantage, extract(epoch FROM later.start)::int8 FROM {KEYS}, LATERAL (
            SELECT start FROM scoring_slot AS s
            WHERE s.disk_id = due.disk_id AND s.vantage = due.vantage AND s.start > to_timestamp(due.minute)
              AND {span(keys, after=until - max(key[2] for key in keys))}
            ORDER BY s.start LIMIT 1) AS later
        """,  # noqa: S608
        arrays(keys),
    )
    return set(rows)


@dataclass(frozen=True, slots=True)
class Counters:
    """Where the cumulative counters stood at the end of the slot that began at `start`; UNKNOWN where nobody said."""

    start: int
    boot: int
    ios: int
    ms: int


def counters_before(cursor: "psycopg.Cursor[tuple]", keys: Sequence[Key]) -> dict[Key, Counters]:
    """For each minute the end of the slot before it; the near past first, since that is where it nearly always lies."""
    found: dict[Key, Counters] = {}
    for reach in (NEAR_S, FAR_S):
        missing = [key for key in keys if key not in found]
        if not missing:
            break
        rows = cursor.execute(
            f"""
            SELECT due.disk_id, due.vantage, due.minute, earlier.* FROM {KEYS}, LATERAL (
                SELECT extract(epoch FROM start)::int8, last_boot,
                       coalesce(last_ios, {UNKNOWN}), coalesce(last_ms, {UNKNOWN})
                FROM scoring_slot AS s
                WHERE s.disk_id = due.disk_id AND s.vantage = due.vantage AND s.start < to_timestamp(due.minute)
                  AND {span(missing, before=reach)}
                ORDER BY s.start DESC LIMIT 1) AS earlier
            """,  # noqa: S608
            arrays(missing),
        )
        found |= {(disk, vantage, minute): Counters(*end) for disk, vantage, minute, *end in rows}
    return found


class Judged(NamedTuple):
    """A slot's key and what it was judged by."""

    key: Key
    term: int
    excluded: bool


def put_slots(
    cursor: "psycopg.Cursor[tuple]", judged: Sequence[Judged], slots: Slots, gaps: Sequence[tuple[int, int]]
) -> bool:
    """Replace these slots; whether any had been there before. `gaps`: I/Os and ms before each, unseen by any frame."""
    keys = [one.key for one in judged]
    gone = cursor.execute(
        f"""
        DELETE FROM scoring_slot AS s USING {KEYS}
        WHERE s.disk_id = due.disk_id AND s.vantage = due.vantage AND s.start = to_timestamp(due.minute)
          AND {span(keys)}
        """,  # noqa: S608
        arrays(keys),
    ).rowcount
    with cursor.copy(f"COPY scoring_slot ({', '.join(SLOT_COLUMNS)}) FROM STDIN") as copy:
        copy.write(slot_lines(judged, slots, gaps))
    return gone > 0


def slot_lines(judged: Sequence[Judged], slots: Slots, gaps: Sequence[tuple[int, int]]) -> str:
    """Slots as the text that COPY reads; made column by column, a row at a time costs three times as much."""
    given = {
        "disk_id": [str(one.key[0]) for one in judged],
        "vantage": [str(one.key[1]) for one in judged],
        "start": [f"{moment(one.key[2]):%Y-%m-%d %H:%M}+00" for one in judged],
        "term": [str(one.term) for one in judged],
        "excluded": ["t" if one.excluded else "f" for one in judged],
        "proved": ["t" if proved else "f" for proved in slots.proved.tolist()],
        "gap_ios": [str(ios) for ios, _ in gaps],
        "gap_ms": [str(ms) for _, ms in gaps],
        "hist": ["\\\\x" + pack(row).hex() for row in slots.hist],
    }
    columns = [given.get(name) or _text(getattr(slots, name).tolist()) for name in SLOT_COLUMNS]
    return "".join(["\t".join(row) + "\n" for row in zip(*columns, strict=True)])


def _text(values: list[int]) -> list[str]:
    return ["\\N" if value == UNKNOWN else str(value) for value in values]


def roll_up(cursor: "psycopg.Cursor[tuple]", keys: Iterable[Key], *, replaced: bool) -> None:
    """Hours and days of these minutes, added up anew.

    `replaced`: slots were there before, so a part of an hour may have moved to another version or into an exclusion.
    """
    hours = {(disk, vantage, start // HOUR_S * HOUR_S) for disk, vantage, start in keys}
    days = {(disk, vantage, start // DAY_S * DAY_S) for disk, vantage, start in hours}
    for table, source, parts, length, values in (
        ("scoring_hour", "scoring_slot", hours, HOUR_S, sums_of_slots()),
        ("scoring_day", "scoring_hour", days, DAY_S, sums_of_roll_ups()),
    ):
        if replaced:
            _drop_parts(cursor, table, sorted(parts), source, length)
        _add_up(cursor, table, source, sorted(parts), length, values)


def _add_up(
    cursor: "psycopg.Cursor[tuple]", table: str, source: str, parts: Sequence[Key], length: int, values: str
) -> None:
    cursor.execute(
        f"""
        INSERT INTO {table} ({", ".join((*KEY, *ROLLED))})
        SELECT due.disk_id, due.vantage, to_timestamp(due.minute), part.* FROM {KEYS}, LATERAL (
            SELECT term, excluded, {values} FROM {source} AS s
            WHERE s.disk_id = due.disk_id AND s.vantage = due.vantage AND s.start >= to_timestamp(due.minute)
              AND s.start < to_timestamp(due.minute + {length}) AND {span(parts, after=length)}
            GROUP BY term, excluded) AS part
        ON CONFLICT ({", ".join(KEY)}) DO UPDATE SET hist = NULL,
            {", ".join(f"{name} = EXCLUDED.{name}" for name in ROLLED)}
        """,  # noqa: S608
        arrays(parts),
    )


def _drop_parts(cursor: "psycopg.Cursor[tuple]", table: str, parts: Sequence[Key], source: str, length: int) -> None:
    """Delete the parts of these hours (or days) that nothing stands behind any more."""
    cursor.execute(
        f"""
        DELETE FROM {table} AS r USING {KEYS}
        WHERE r.disk_id = due.disk_id AND r.vantage = due.vantage AND r.start = to_timestamp(due.minute)
          AND {span(parts, after=1).replace("start", "r.start")}
          AND NOT EXISTS (
            SELECT 1 FROM {source} AS s
            WHERE s.disk_id = r.disk_id AND s.vantage = r.vantage AND s.term = r.term AND s.excluded = r.excluded
              AND s.start >= to_timestamp(due.minute) AND s.start < to_timestamp(due.minute + {length})
              AND {span(parts, after=length).replace("start", "s.start")})
        """,  # noqa: S608
        arrays(parts),
    )
