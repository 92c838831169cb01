"""Which of an upload's frames are taken? Each is checked for itself; the good ones are stored beside the bad."""

import hashlib
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import msgspec
import psycopg
from django.conf import settings

from sla.telemetry import store
from sla.telemetry.address import Address, Span, check_time, locate
from sla.telemetry.columns import inflate
from sla.telemetry.content import json_bodies, packed_bodies
from sla.telemetry.inventory import inventory_of
from sla.telemetry.refusal import BAD_SHAPE, CONFLICT, OVERLAP, Refusal
from sla.telemetry.wire import Request, json_frame, packed_frame

DAY_S = 86_400


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer to an upload."""

    accepted: int
    duplicates: int
    rejected: list[dict[str, Any]]
    policy: dict[str, Any]


def boot_key(boot_id: str) -> int:
    """A boot id as the signed 64-bit number that frames carry."""
    return int.from_bytes(hashlib.sha256(boot_id.encode()).digest()[:8], "big", signed=True)


def ingest(
    cursor: "psycopg.Cursor[tuple]", caller: store.Caller, sent: Request, *, packed: bool, now: float
) -> Outcome:
    """Check, compare with what is stored, store the rest. Runs in the caller's transaction."""
    inventory = inventory_of(caller.machine, caller.inventory_version)
    span = Span(int(now) - settings.FRAMES_KEEP_DAYS * DAY_S, int(now) + settings.INGEST_MAX_FUTURE_S)
    refused: dict[int, Refusal] = {}
    frames: dict[int, Any] = {}
    addresses: dict[int, Address] = {}
    decode, bodies_of = (packed_frame.decode, packed_bodies) if packed else (json_frame.decode, json_bodies)
    for index, raw in enumerate(sent.frames):
        try:
            frame = decode(raw)
            check_time(frame, span)
            addresses[index] = locate(frame, inventory, host_side=caller.host_side)
            frames[index] = frame
        except msgspec.ValidationError as error:
            refused[index] = Refusal(BAD_SHAPE, str(error))
        except Refusal as refusal:
            refused[index] = refusal
    bodies, unsound = bodies_of(frames)
    refused |= unsound
    rows = {
        index: store.Row(
            at.disk, at.vantage, frames[index].start, frames[index].step_s, frames[index].n, at.source, bodies[index]
        )
        for index, at in addresses.items()
        if index in bodies
    }
    new, duplicates = _sort_out(cursor, rows, refused)
    if new:
        store.insert(cursor, boot_key(sent.agent.boot_id), new)
    store.note_agent(cursor, caller, sent.agent.version, sent.agent.boot_id)
    return Outcome(len(new), duplicates, [refused[index].as_dict(index) for index in sorted(refused)], inventory.policy)


def _sort_out(
    cursor: "psycopg.Cursor[tuple]", rows: dict[int, store.Row], refused: dict[int, Refusal]
) -> tuple[list[store.Row], int]:
    """New frames, and how many are there already; conflicts and overlaps join the refused."""
    if not rows:
        return [], 0
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
