"""Frames into the database, once: duplicates are harmless, other content for a known moment is refused.

`take` stores an upload whose frames are all new, which nearly every one is, in one turn (sql/take.up.sql, of a single
frame sql/take_one.up.sql). Where something touches what is there, `closer` holds the agent's row for a transaction in
which the caller looks closer.
psycopg is used directly: server-side binding keeps the bodies binary.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections, transaction

from sla.telemetry.arrays import BYTEA, BYTEAS, INT2, INT2S, INT8, INT8S, byteas, int2s, int8s
from sla.telemetry.turn import Connection, Statement

MINUTE_S = 60
INT4, TEXT = 23, 25  # pg_type.oid
Cursor = psycopg.Cursor[tuple[Any, ...]]

_AGENT = """
SELECT agent.id, machine.id, machine.inventory_version, agent.host_side
FROM fleet_agent AS agent JOIN fleet_machine AS machine ON machine.id = agent.machine_id
WHERE agent.token_hash = %b AND agent.revoked_at IS NULL
"""
_WORDS = [BYTEA, INT4, TEXT, TEXT, INT8]
_TAKE = Statement(
    "telemetry_take",
    "SELECT telemetry_take($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
    [*_WORDS, INT8S, INT2S, INT8S, INT2S, INT2S, INT2S, BYTEAS],
)
_TAKE_ONE = Statement(
    "telemetry_take_one",
    "SELECT telemetry_take_one($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
    [*_WORDS, INT8, INT2, INT8, INT2, INT2, INT2, BYTEA],
)
_UNMARK = "UPDATE fleet_agent SET frames_until = NULL WHERE token_hash = %b"
# In order of id, as whoever scores locks them too.
_ALONE = "SELECT 1 FROM fleet_disk WHERE id = ANY(%b) ORDER BY id FOR NO KEY UPDATE"
_KEYS = """
SELECT disk_id, vantage, extract(epoch FROM start)::bigint, step_s * n
FROM telemetry_frame
WHERE disk_id = ANY(%b) AND start >= to_timestamp(%b) AND start < to_timestamp(%b)
"""
_BODY = """
SELECT step_s, n, source, body FROM telemetry_frame
WHERE disk_id = %b AND vantage = %b AND start = to_timestamp(%b)
"""


@dataclass(frozen=True, slots=True)
class Caller:
    """The agent behind a token, as it was when it was looked up."""

    agent: int
    machine: int
    inventory_version: int
    host_side: bool


@dataclass(frozen=True, slots=True)
class Words:
    """What the agent says of itself: kept with each upload."""

    version: str
    boot_id: str
    boot: int


class Row(NamedTuple):
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


# In the order of Row's fields.
_WRITERS = (int8s, int2s, int8s, int2s, int2s, int2s, byteas)


def _int2(value: int) -> bytes:
    return value.to_bytes(2, "big")


def _int8(value: int) -> bytes:
    return value.to_bytes(8, "big", signed=True)


@contextmanager
def cursor() -> Iterator[Cursor]:
    """A cursor on this thread's connection. Django's own would bind on the client side, every body as hex text."""
    with psycopg.Cursor(line()) as opened:
        yield opened


@contextmanager
def alone_with(disks: Sequence[int]) -> Iterator[None]:
    """A transaction in which nobody else stores frames of these disks: a guest that moves has two hypervisors that
    speak for it, and an agent's row keeps apart only what comes from one agent."""
    with transaction.atomic(), cursor() as at:
        at.execute(_ALONE, [list(disks)]).fetchall()
        yield


def find_agent(at: Cursor, token_hash: bytes) -> Caller | None:
    """Who holds this token."""
    row = at.execute(_AGENT, [token_hash], prepare=True, binary=True).fetchone()
    return Caller(*row) if row else None


def line() -> Connection:
    """This thread's connection."""
    ours = connections[DEFAULT_DB_ALIAS]
    if ours.connection is None:
        ours.ensure_connection()
    opened: Connection = ours.connection
    return opened


def take(token_hash: bytes, caller: Caller, words: Words, rows: Sequence[Row]) -> str:
    """'stored' (durable when this returns outside a transaction), 'stale' or 'clash': nothing was stored."""
    try:
        return _taken(token_hash, caller, words, rows)
    except psycopg.errors.UniqueViolation:
        # Frames that came by another way, as out of a backup: the agent's mark does not know of them.
        with cursor() as at:
            at.execute(_UNMARK, [token_hash])
        return "clash"


def _taken(token_hash: bytes, caller: Caller, words: Words, rows: Sequence[Row]) -> str:
    said = (
        token_hash,
        caller.inventory_version.to_bytes(4, "big"),
        words.version.encode(),
        words.boot_id.encode(),
        _int8(words.boot),
    )
    if len(rows) == 1:
        disk, vantage, start, step_s, n, source, body = rows[0]
        numbers = _int8(disk), _int2(vantage), _int8(start), _int2(step_s), _int2(n), _int2(source)
        return _TAKE_ONE.run(line(), [*said, *numbers, body])
    columns = list(zip(*rows, strict=True)) or [()] * len(Row._fields)
    return _TAKE.run(line(), [*said, *[write(column) for write, column in zip(_WRITERS, columns, strict=True)]])


@contextmanager
def closer(token_hash: bytes, caller: Caller, words: Words) -> Iterator[Cursor | None]:
    """A transaction that holds the agent's row; None where what is remembered of the caller is stale."""
    with transaction.atomic(), cursor() as at:
        yield at if take(token_hash, caller, words, []) == "stored" else None


def known_keys(at: Cursor, rows: Sequence[Row]) -> dict[tuple[int, int, int], list[tuple[int, int]]]:
    """What the minutes of these frames hold already: (disk, vantage, minute) → [(start, end), …]."""
    disks = list({row.disk for row in rows})
    first, last = min(row.minute for row in rows), max(row.minute for row in rows) + MINUTE_S
    held: dict[tuple[int, int, int], list[tuple[int, int]]] = defaultdict(list)
    for disk, vantage, start, length in at.execute(_KEYS, [disks, first, last], binary=True):
        held[disk, vantage, start // MINUTE_S * MINUTE_S].append((start, start + length))
    return held


def stored(at: Cursor, row: Row) -> tuple[int, int, int, bytes]:
    """(step_s, n, source, body) of the frame that is stored for the moment of this one."""
    found = at.execute(_BODY, [row.disk, row.vantage, row.start], binary=True).fetchone()
    if found is None:
        raise LookupError(f"frame of disk {row.disk} at {row.start} was there a moment ago")
    return found[0], found[1], found[2], found[3]


def touching(rows: Iterable[Row]) -> bool:
    """Do frames of one upload touch each other? The database compares only with what it holds."""
    listed = list(rows)
    if len({(row.disk, row.vantage) for row in listed}) == len(listed):
        return False
    taken: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for row in listed:
        taken[row.disk, row.vantage].append(row)
    for same in taken.values():
        same.sort(key=lambda row: row.start)
        if any(before.end > after.start for before, after in pairwise(same)):
            return True
    return False
