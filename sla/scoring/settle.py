"""How does a due minute become a slot? Claim, lock, read, score, replace, add up: one transaction, run-twice safe."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import psycopg

from sla.domain.contract import Contract
from sla.domain.evidence import MINUTE_S, UNKNOWN, Evidence, Ints
from sla.domain.label import label
from sla.domain.seconds import Steps, steps_of
from sla.domain.slot import Slots, gap, slots_of
from sla.domain.states import Case, Reason
from sla.domain.unavailable import reaches_a_minute, stalled_ends
from sla.scoring import store
from sla.scoring.exclusions import excluded_at, windows_between
from sla.scoring.frames import StoredFrames, evidence_of_rows, read
from sla.scoring.store import Counters, Judged, Key
from sla.scoring.terms import assigned_to, contract_of, term_at, term_throughout

logger = logging.getLogger(__name__)
# No slot begins later than this from now: ingest takes nothing from further ahead.
FUTURE_S = 180
# No version has this id: nothing that agents shipped is taken for it.
NO_TERM = -1


@dataclass(frozen=True, slots=True)
class Batch:
    """Slots that were just scored, in order of key, with the evidence they came from."""

    judged: list[Judged]
    contracts: list[Contract | None]
    evidence: Evidence
    steps: Steps
    slots: Slots


def score_minutes(cursor: "psycopg.Cursor[tuple]", keys: Iterable[Key], now: float) -> Batch | None:
    """Score these minutes and put them and their roll-ups in place. None where no minute has a frame.

    The disks are locked here, so what is read next is newer than anything another worker wrote.
    """
    asked = set(keys)
    there = store.lock_disks(cursor, {key[0] for key in asked})
    wanted = {key for key in asked if key[0] in there}
    if len(wanted) < len(asked):
        gone = sorted({key[0] for key in asked} - there)
        logger.warning("%s minutes of disks that are no more are not scored: %s", len(asked) - len(wanted), gone)
    if not wanted:
        return None
    # A slot that is late, or scored again, changes the gap of the one after it.
    wanted |= store.following(cursor, sorted(wanted), int(now) + FUTURE_S)
    batch = judge_minutes(cursor, sorted(wanted))
    if batch is None:
        return None
    listed = [one.key for one in batch.judged]
    replaced = store.put_slots(cursor, batch.judged, batch.slots, gaps(cursor, listed, batch.slots))
    store.roll_up(cursor, listed, replaced=replaced)
    return batch


def judge_minutes(
    cursor: "psycopg.Cursor[tuple]",
    keys: Sequence[Key],
    *,
    instead: Contract | None = None,
    histograms: bool = True,
    alone: bool = False,
) -> Batch | None:
    """The same without storing anything.

    `instead`: a contract to judge by in place of the one in force (what-if); `histograms`: are percentiles wanted?
    `alone`: each minute by itself, whatever it goes on from.
    """
    got = read(store.frames_of(cursor, keys), histograms=histograms)
    if not len(got.frames):
        return None
    found, slot = minutes_of(got.frames)
    judged = judged_by(cursor, found)
    versions = {one.term for one in judged}
    by = {version: instead or (contract_of(version) if version else None) for version in versions}
    shipped = {version: version if labels_hold(version, instead) else NO_TERM for version in versions}
    made = {version: c.term(shipped[version]) if c else None for version, c in by.items()}
    contracts, ids = [by[one.term] for one in judged], [shipped[one.term] for one in judged]
    evidence = evidence_of_rows(got, slot, ids)
    evidence = label(evidence.in_order(), [made[one.term] for one in judged])
    steps = steps_of(evidence)
    excluded = np.array([one.excluded for one in judged], bool)
    batch = Batch(judged, contracts, evidence, steps, slots_of(evidence, steps, contracts, excluded))
    if not alone:
        mark_unavailable(cursor, batch)
    return batch


def mark_unavailable(cursor: "psycopg.Cursor[tuple]", batch: Batch) -> None:
    """Say UNAVAILABLE where the sixtieth second of a stall that began in the minute before ends."""
    if not (batch.steps.case == Case.STALLED).any():
        return
    leading, trailing = stalled_ends(batch.evidence, batch.steps, len(batch.judged))
    ends = {one.key: int(seconds) for one, seconds in zip(batch.judged, trailing, strict=True)}
    begun = np.flatnonzero((leading > 0) & (leading < MINUTE_S) & (batch.slots.reason == Reason.NONE)).tolist()
    before = {index: _minute_before(batch.judged[index].key) for index in begun}
    missing = sorted({key for key in before.values() if key not in ends})
    earlier = judge_minutes(cursor, missing, histograms=False, alone=True) if missing else None
    if earlier is not None:
        _, trailing = stalled_ends(earlier.evidence, earlier.steps, len(earlier.judged))
        ends |= {one.key: int(seconds) for one, seconds in zip(earlier.judged, trailing, strict=True)}
    for index, key in before.items():
        if reaches_a_minute(int(leading[index]), ends.get(key, 0)):
            batch.slots.reason[index] = Reason.UNAVAILABLE


def _minute_before(key: Key) -> Key:
    disk, vantage, minute = key
    return disk, vantage, minute - MINUTE_S


def minutes_of(frames: StoredFrames) -> tuple[list[Key], Ints]:
    """The minutes that these frames lie in, in order, and which of them each frame is in."""
    keys = (frames.minute, frames.vantage, frames.disk)
    order = np.lexsort(keys)
    sorted_keys = np.stack(keys[::-1])[:, order]
    first = np.ones(len(order), bool)
    first[1:] = (sorted_keys[:, 1:] != sorted_keys[:, :-1]).any(axis=0)
    slot = np.empty(len(order), np.int64)
    slot[order] = np.cumsum(first) - 1
    return list(zip(*sorted_keys[:, first].tolist(), strict=True)), slot


def labels_hold(term: int, instead: Contract | None) -> bool:
    """Do the labels that agents made for the version in force hold for another contract too? Only if seconds agree."""
    return instead is None or (term != 0 and contract_of(term).term(0) == instead.term(0))


def judged_by(cursor: "psycopg.Cursor[tuple]", keys: Sequence[Key]) -> list[Judged]:
    """For each minute the contract version in force (0: none) and whether it is taken out."""
    disks = {key[0] for key in keys}
    first, last = min(key[2] for key in keys), max(key[2] for key in keys) + 60
    assigned = assigned_to(cursor, disks)
    windows = windows_between(cursor, disks, first, last)
    always = {disk: term_throughout(assigned.get(disk, ()), first, last) for disk in disks}
    judged = []
    for key in keys:
        disk, _, minute = key
        term = always[disk]
        if term is None:
            term = term_at(assigned[disk], minute)
        judged.append(Judged(key, term, disk in windows and excluded_at(windows[disk], minute)))
    return judged


def gaps(cursor: "psycopg.Cursor[tuple]", keys: Sequence[Key], slots: Slots) -> list[tuple[int, int]]:
    """I/Os and ms that no frame saw, between the slot before and each of these, or inside them. `keys` are in order."""
    before: list[Counters | None] = [None] * len(keys)
    lonely = []
    ends = zip(slots.last_boot.tolist(), slots.last_ios.tolist(), slots.last_ms.tolist(), strict=True)
    ended = [Counters(key[2], *end) for key, end in zip(keys, ends, strict=True)]
    for place, key in enumerate(keys):
        if place and keys[place - 1][:2] == key[:2]:
            before[place] = ended[place - 1]
        earlier = before[place]
        if earlier is None or earlier.start != key[2] - 60:
            lonely.append(key)
    found = store.counters_before(cursor, lonely) if lonely else {}
    for place, key in enumerate(keys):
        stored, earlier = found.get(key), before[place]
        # Of the stored slot before and the one of this batch the later counts; this batch's is the newer truth.
        if stored is not None and (earlier is None or stored.start > earlier.start):
            before[place] = stored
    return unseen(before, slots)


def unseen(before: Sequence[Counters | None], slots: Slots) -> list[tuple[int, int]]:
    """Gap I/Os and ms of each slot, given where the counters stood before it; what nobody knows counts 0."""
    ends = np.array([(UNKNOWN, UNKNOWN) if end is None else (end.ios, end.ms) for end in before], np.int64).reshape(
        -1, 2
    )
    same_boot = np.array(
        [end is not None and end.boot == boot for end, boot in zip(before, slots.first_boot, strict=True)]
    )
    ios, ms = gap(ends[:, 0], ends[:, 1], slots.first_ios, slots.first_ms)
    ios, ms = (np.where(same_boot & (values != UNKNOWN), values, 0) for values in (ios, ms))
    return list(zip((ios + slots.inner_gap_ios).tolist(), (ms + slots.inner_gap_ms).tolist(), strict=True))
