"""Which of an upload's frames are taken? Each is checked for itself; the good ones are stored beside the bad."""

import hashlib
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec
from django.conf import settings

from sla.fleet.vantage import Vantage
from sla.telemetry import store
from sla.telemetry.address import Address, Span, check_time, locate
from sla.telemetry.columns import inflate
from sla.telemetry.health import health_of, keep
from sla.telemetry.inventory import Inventory, inventory_of
from sla.telemetry.refusal import BAD_SHAPE, CONFLICT, OVERLAP, Refusal
from sla.telemetry.upload import Upload

DAY_S = 86_400
# What a process remembers of tokens: 100 bytes each. The database checks them again with every upload.
REMEMBER_CALLERS = 50_000
_callers: dict[bytes, store.Caller] = {}


class UnknownAgent(Exception):
    """No agent has this token."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer to an upload."""

    accepted: int
    duplicates: int
    rejected: list[dict[str, Any]]
    policy: msgspec.Raw


@lru_cache(maxsize=16_384)
def boot_key(boot_id: str) -> int:
    """A boot id as the signed 64-bit number that frames carry."""
    return int.from_bytes(hashlib.sha256(boot_id.encode()).digest()[:8], "big", signed=True)


def caller_of(token_hash: bytes) -> store.Caller:
    """Who is calling, remembered; UnknownAgent."""
    caller = _callers.get(token_hash)
    if caller is None:
        with store.cursor() as cursor:
            caller = store.find_agent(cursor, token_hash)
        if caller is None:
            raise UnknownAgent
        if len(_callers) >= REMEMBER_CALLERS:
            _callers.clear()
        _callers[token_hash] = caller
    return caller


def ingest(token_hash: bytes, sent: Upload, *, now: float) -> Outcome:
    """Check, store, and say what became of each frame; durable when this returns. UnknownAgent."""
    said = sent.agent
    words = store.Words(
        said.version[:32].replace("\0", ""), said.boot_id[:64].replace("\0", ""), boot_key(said.boot_id)
    )
    while True:
        # What is remembered may be stale; what was looked up after it was forgotten is not.
        fresh = token_hash not in _callers
        caller = caller_of(token_hash)
        inventory = inventory_of(caller.machine, caller.inventory_version)
        rows, refused = _checked(sent, inventory, caller, now=now)
        done = _store(token_hash, caller, words, rows, refused)
        if done is not None:
            accepted, duplicates = done
            if health := health_of(said, caller.agent, now):
                keep(caller.agent, health)
            rejected = [refused[index].as_dict(index) for index in sorted(refused)]
            return Outcome(accepted, duplicates, rejected, inventory.policy)
        _callers.pop(token_hash, None)
        if fresh and not _still_known(token_hash):
            raise UnknownAgent


def _still_known(token_hash: bytes) -> bool:
    """A machine whose inventory changes again and again is looked up again; a token that is gone is not."""
    with store.cursor() as cursor:
        return store.find_agent(cursor, token_hash) is not None


def _checked(
    sent: Upload, inventory: Inventory, caller: store.Caller, *, now: float
) -> tuple[dict[int, store.Row], dict[int, Refusal]]:
    """By index: the frames that are sound, and why the others are not."""
    span = Span(int(now) - settings.FRAMES_KEEP_DAYS * DAY_S, int(now) + settings.INGEST_MAX_FUTURE_S)
    refused: dict[int, Refusal] = {}
    frames: dict[int, Any] = {}
    addresses: dict[int, Address] = {}
    for index, raw in enumerate(sent.frames):
        try:
            frame = sent.decode(raw)
            check_time(frame, span)
            addresses[index] = locate(frame, inventory, host_side=caller.host_side)
            frames[index] = frame
        except msgspec.ValidationError as error:
            refused[index] = Refusal(BAD_SHAPE, str(error))
        except Refusal as refusal:
            refused[index] = refusal
    bodies, unsound = sent.bodies_of(frames)
    refused |= unsound
    rows = {
        index: store.Row(
            at.disk, at.vantage, frames[index].start, frames[index].step_s, frames[index].n, at.source, bodies[index]
        )
        for index, at in addresses.items()
        if index in bodies
    }
    return rows, refused


def _store(
    token_hash: bytes, caller: store.Caller, words: store.Words, rows: dict[int, store.Row], refused: dict[int, Refusal]
) -> tuple[int, int] | None:
    """(accepted, duplicates); None where the caller must be looked up again. Conflicts and overlaps are refused."""
    if hosts_side := sorted({row.disk for row in rows.values() if row.vantage == Vantage.HOST}):
        with store.alone_with(hosts_side):
            return _taken(token_hash, caller, words, rows, refused)
    return _taken(token_hash, caller, words, rows, refused)


def _taken(
    token_hash: bytes, caller: store.Caller, words: store.Words, rows: dict[int, store.Row], refused: dict[int, Refusal]
) -> tuple[int, int] | None:
    listed = list(rows.values())
    if not store.touching(listed):
        said = store.take(token_hash, caller, words, listed)
        if said != "clash":
            return (len(listed), 0) if said == "stored" else None
    with store.closer(token_hash, caller, words) as cursor:
        if cursor is None:
            return None
        new, duplicates = _sort_out(cursor, rows, refused)
        if new:
            store.take(token_hash, caller, words, new)
        return len(new), duplicates


def _sort_out(
    cursor: store.Cursor, rows: dict[int, store.Row], refused: dict[int, Refusal]
) -> tuple[list[store.Row], int]:
    """New frames, and how many are there already; conflicts and overlaps join the refused."""
    held = store.known_keys(cursor, list(rows.values()))
    of_this_upload: dict[tuple[int, int, int], store.Row] = {}
    taken: dict[tuple[int, int, int], list[tuple[int, int]]] = defaultdict(list, held)
    new, duplicates = [], 0
    for index, row in rows.items():
        there = taken[row.disk, row.vantage, row.minute]
        touching = [(start, end) for start, end in there if start < row.end and row.start < end]
        if not touching:
            there.append((row.start, row.end))
            of_this_upload[row.disk, row.vantage, row.start] = row
            new.append(row)
        elif any(start == row.start for start, _ in touching):
            twin = of_this_upload.get((row.disk, row.vantage, row.start))
            other = (twin.step_s, twin.n, twin.source, twin.body) if twin else store.stored(cursor, row)
            if same_content(other, (row.step_s, row.n, row.source, row.body)):
                duplicates += 1
            else:
                message = f"start {row.start}: another frame with other figures is stored for this moment"
                refused[index] = Refusal(CONFLICT, message)
        else:
            start, end = touching[0]
            refused[index] = Refusal(
                OVERLAP, f"start {row.start}, end {row.end}: overlaps the frame stored for {start} to {end}"
            )
    return new, duplicates


def same_content(one: tuple[int, int, int, bytes], other: tuple[int, int, int, bytes]) -> bool:
    """The same figures, however hard they were compressed."""
    return one == other or (one[:3] == other[:3] and inflate(one[3]) == inflate(other[3]))
