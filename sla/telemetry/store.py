"""Frames into the database, once: duplicates are harmless, other content for a known moment is refused.

Everything of one upload happens in one transaction that holds its agent's row, so two uploads of one machine can never
pass each other between the look and the insert. psycopg is used directly: server-side binding keeps the bodies binary.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
from django.db import connection, transaction

MINUTE_S = 60

_TAKE_AGENT = """
UPDATE fleet_agent AS agent
SET seen_at = clock_timestamp()
FROM fleet_machine AS machine
WHERE agent.token_hash = %b AND agent.revoked_at IS NULL AND machine.id = agent.machine_id
RETURNING agent.id, machine.id, machine.inventory_version, agent.host_side, agent.version, agent.boot_id
"""
_KEYS = """
SELECT disk_id, vantage, extract(epoch FROM start)::bigint, step_s * n
FROM telemetry_frame
WHERE disk_id = ANY(%b) AND start >= to_timestamp(%b) AND start < to_timestamp(%b)
"""
_BODY = """
SELECT step_s, n, source, body FROM telemetry_frame
WHERE disk_id = %b AND vantage = %b AND start = to_timestamp(%b)
"""
_INSERT = """
INSERT INTO telemetry_frame (disk_id, vantage, start, step_s, n, source, boot, received_at, body)
SELECT disk_id, vantage, to_timestamp(start), step_s, n, source, %b, clock_timestamp(), body
FROM unnest(%b::int8[], %b::int2[], %b::int8[], %b::int2[], %b::int2[], %b::int2[], %b::bytea[])
    AS frame (disk_id, vantage, start, step_s, n, source, body)
"""
_MARK_DUE = """
INSERT INTO telemetry_dueslot (disk_id, vantage, start, marked_at)
SELECT disk_id, vantage, to_timestamp(start), clock_timestamp()
FROM unnest(%b::int8[], %b::int2[], %b::int8[]) AS due (disk_id, vantage, start)
"""


@dataclass(frozen=True, slots=True)
class Caller:
    """The agent behind a token."""

    agent: int
    machine: int
    inventory_version: int
    host_side: bool
    version: str
    boot_id: str


@dataclass(frozen=True, slots=True)
class Row:
    """A frame that was checked, ready to be stored; `start` in Unix seconds."""

    disk: int
    vantage: int
    start: int
    step_s: int
    n: int
    source: int
    body: bytes

    @property
    def end(self) -> int:
        return self.start + self.step_s * self.n

    @property
    def minute(self) -> int:
        return self.start // MINUTE_S * MINUTE_S


@contextmanager
def upload() -> Iterator["psycopg.Cursor[tuple[object, ...]]"]:
    """One transaction, durable when it ends."""
    with transaction.atomic():
        connection.ensure_connection()
        # Django's own cursors bind on the client side, which would turn every body into hex text.
        with psycopg.Cursor(connection.connection) as cursor:
            yield cursor


def take_agent(cursor: "psycopg.Cursor[tuple]", token_hash: bytes) -> Caller | None:
    """Who holds this token; holds the agent's row until the transaction ends, and notes that it was seen."""
    row = cursor.execute(_TAKE_AGENT, [token_hash], prepare=True, binary=True).fetchone()
    return Caller(*row) if row else None


def known_keys(
    cursor: "psycopg.Cursor[tuple]", rows: Sequence[Row]
) -> dict[tuple[int, int, int], list[tuple[int, int]]]:
    """What the minutes of these frames hold already: (disk, vantage, minute) → [(start, end), …]."""
    disks = list({row.disk for row in rows})
    first, last = min(row.minute for row in rows), max(row.minute for row in rows) + MINUTE_S
    held: dict[tuple[int, int, int], list[tuple[int, int]]] = defaultdict(list)
    for disk, vantage, start, length in cursor.execute(_KEYS, [disks, first, last], prepare=True, binary=True):
        held[disk, vantage, start // MINUTE_S * MINUTE_S].append((start, start + length))
    return held


def stored(cursor: "psycopg.Cursor[tuple]", row: Row) -> tuple[int, int, int, bytes]:
    """(step_s, n, source, body) of the frame that is stored for the moment of this one."""
    found = cursor.execute(_BODY, [row.disk, row.vantage, row.start], binary=True).fetchone()
    if found is None:
        raise LookupError(f"frame of disk {row.disk} at {row.start} was there a moment ago")
    return found


def insert(cursor: "psycopg.Cursor[tuple]", boot: int, rows: Sequence[Row]) -> None:
    """Store new frames and mark their minutes due."""
    columns = zip(*[(r.disk, r.vantage, r.start, r.step_s, r.n, r.source, r.body) for r in rows], strict=True)
    cursor.execute(_INSERT, [boot, *map(list, columns)], prepare=True)
    mark_due(cursor, {(row.disk, row.vantage, row.minute) for row in rows})


def mark_due(cursor: "psycopg.Cursor[tuple]", minutes: Iterable[tuple[int, int, int]]) -> None:
    """(disk, vantage, minute in Unix seconds): to be scored (again)."""
    if listed := sorted(minutes):
        cursor.execute(_MARK_DUE, [list(column) for column in zip(*listed, strict=True)], prepare=True)


def note_agent(cursor: "psycopg.Cursor[tuple]", caller: Caller, version: str, boot_id: str) -> None:
    """Keep what the agent says of itself, where it changed."""
    if (caller.version, caller.boot_id) != (version, boot_id):
        cursor.execute(
            "UPDATE fleet_agent SET version = %s, boot_id = %s WHERE id = %s",
            [version[:32], boot_id[:64], caller.agent],
        )
