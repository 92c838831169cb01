"""The verbs of scoring: settle what is due, score again, look after disks that say nothing."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import psycopg
from django.db import DataError, transaction
from django.utils import timezone

from sla.domain.contract import EXCUSED_BELOW_PPM, PPM, Contract
from sla.domain.evidence import MINUTE_S
from sla.domain.states import State
from sla.domain.verdict import SILENT_S
from sla.scoring import burning, store
from sla.scoring.now import Standing, refresh, standings
from sla.scoring.settle import Batch, judge_minutes, score_minutes
from sla.scoring.signals import slots_scored, standings_judged
from sla.scoring.store import DAY_S, Key

# Marks a transaction takes: large enough that numpy and the planner are paid once for many, small enough for 100 ms.
BATCH = 500
# What figures can do to arithmetic, and no more: a database that is away must stay an error.
ODD = (ValueError, ArithmeticError, LookupError, TypeError, DataError)
logger = logging.getLogger(__name__)
# A disk that burns nothing has its burn rate worked out only so often, in minutes.
BURN_EVERY = 5
# Stops one call after so many batches, so that a backlog cannot keep a worker from its other tasks for long.
BATCHES = 40


@dataclass(frozen=True, slots=True)
class Settled:
    """What one call did."""

    marks: int
    slots: int


def settle_due(*, batch: int = BATCH, batches: int = BATCHES) -> Settled:
    """Score the minutes that are due. Several workers may do it at once; running it twice changes nothing."""
    marks = slots = 0
    for _ in range(batches):
        try:
            claimed, scored = _settle_batch(batch)
        except ODD as error:
            logger.exception("a batch of %d due minutes cannot be scored (%s): trying them one by one", batch, error)
            claimed, scored = _settle_singly(batch)
        marks, slots = marks + claimed, slots + scored
        if claimed < batch:
            break
    return Settled(marks, slots)


def _settle_batch(limit: int) -> tuple[int, int]:
    with store.transacting() as cursor:
        claimed, keys = store.claim(cursor, limit)
        return claimed, settle(cursor, keys, timezone.now().timestamp()) if keys else 0


def _settle_singly(limit: int) -> tuple[int, int]:
    """One mark a transaction, so that the odd minute does not hold up the others. Its mark goes: it would come up again
    for ever; `manage.py score` scores it when the reason is gone."""
    marks = slots = 0
    while marks < limit:
        with store.transacting() as cursor:
            claimed, keys = store.claim(cursor, 1)
            try:
                with transaction.atomic():
                    slots += settle(cursor, keys, timezone.now().timestamp()) if keys else 0
            except ODD:
                logger.exception("these minutes are left without a score: %s", sorted(keys))
        marks += claimed
        if not claimed:
            break
    return marks, slots


def settle(cursor: "psycopg.Cursor[tuple]", keys: Iterable[Key], now: float) -> int:
    """Score these minutes and bring their disks' standing up to date; how many slots were written."""
    batch = score_minutes(cursor, keys, now)
    if batch is None:
        return 0
    slots_scored.send(sender=Batch, cursor=cursor, keys=[one.key for one in batch.judged], now=now)
    rows = standings(cursor, {one.key[0] for one in batch.judged})
    for index in range(len(batch.judged)):
        note_slot(rows, batch, index)
    note_acute(cursor, rows, batch)
    refresh(cursor, rows, now)
    lost = {batch.judged[index].key[0] for index in np.flatnonzero(batch.slots.lost_ms)}
    standings_judged.send(sender=Standing, cursor=cursor, rows=rows, now=now, lost=lost)
    return len(batch.judged)


def note_slot(rows: dict[int, Standing], batch: Batch, index: int) -> None:
    """What a slot says of its disk: when it was seen, busy, covered, and its figures if it is the newest."""
    (disk, vantage, minute), slots, contract = batch.judged[index].key, batch.slots, batch.contracts[index]
    if contract is not None and contract.vantage != ("guest" if vantage == 1 else "host"):
        return
    row = rows[disk]
    first, last = _ends(batch, index)
    row.first_at = min(first, row.first_at or first)
    row.seen_at = max(last, row.seen_at or last)
    state = int(slots.state[index])
    end = float(minute + MINUTE_S)
    ios, covered = int(slots.ios[index]), int(slots.eligible[index])
    if ios or slots.in_flight[index] or slots.lost_ms[index]:
        row.busy_at = max(end, row.busy_at or end)
        if covered * PPM >= EXCUSED_BELOW_PPM * ios or slots.lost_ms[index]:
            row.covered_at = max(end, row.covered_at or end)
    if burns(slots.slow[index], slots.eligible[index], contract) or (minute // MINUTE_S + disk) % BURN_EVERY == 0:
        row.burn_rate = None  # to be worked out again
    if row.slot_start is not None and minute < row.slot_start:
        return
    row.slot_start, row.slot_state = float(minute), state
    observed = int(slots.observed_s[index])
    row.iops = ios / observed if observed else None
    row.await_ms = (int(slots.read_ms[index]) + int(slots.write_ms[index])) / ios if ios else None
    row.aqu_sz = int(slots.queue_ms[index]) / (1000 * observed) if observed else None


def burns(slow: int, eligible: int, contract: Contract | None) -> bool:
    """Does this minute alone spend at half the budget's pace or faster? Only such minutes can make a rule fire."""
    return contract is not None and 2 * int(slow) * PPM > contract.slow_ppm * int(eligible)


def _ends(batch: Batch, index: int) -> tuple[float, float]:
    """Where a slot's frames begin and end, in Unix seconds."""
    e, minute = batch.evidence, batch.judged[index].key[2]
    mine = slice(*e.slot.searchsorted([index, index + 1]))
    ends = e.offset_s[mine] + e.step_s[mine] * e.n[mine]
    return float(minute + e.offset_s[mine].min()), float(minute + ends.max())


def note_acute(cursor: "psycopg.Cursor[tuple]", rows: dict[int, Standing], batch: Batch) -> None:
    """When the acute rule last held: looked for in slots with a bad second, together with the minute before each."""
    suspects = [i for i in burning.looks_acute(batch) if not batch.judged[i].excluded]
    if not suspects:
        return
    places = {one.key: index for index, one in enumerate(batch.judged)}
    wanted = [key for key in burning.minutes_before(batch, suspects) if key not in places]
    earlier = judge_minutes(cursor, wanted) if wanted else None
    earlier_places = {one.key: index for index, one in enumerate(earlier.judged)} if earlier else {}
    for index, key in zip(suspects, burning.minutes_before(batch, suspects), strict=True):
        if key in places:
            at = burning.acute_moment(batch, index, batch, places[key])
        else:
            at = burning.acute_moment(batch, index, earlier, earlier_places.get(key))
        if at is not None:
            row = rows[batch.judged[index].key[0]]
            row.acute_at = max(float(at), row.acute_at or 0.0)


def mark_due(*, disks: Iterable[int], start: float, end: float) -> int:
    """Have every stored minute of these disks in [start, end) scored again: their terms or exclusions changed."""
    with store.transacting() as cursor:
        return cursor.execute(
            """
            INSERT INTO telemetry_dueslot (disk_id, vantage, start, marked_at)
            SELECT DISTINCT disk_id, vantage, date_trunc('minute', start), now() FROM telemetry_frame
            WHERE disk_id = ANY(%s) AND start >= to_timestamp(%s) AND start < to_timestamp(%s)
            """,
            [list(disks), start, end],
        ).rowcount


def rescore(
    *, start: int, end: int, disk: int | None = None, progress: Callable[[int, int], None] = lambda done, all_: None
) -> int:
    """Score [start, end) again from stored frames, a disk and a day at a time; how many slots were written.

    Slots whose frames are gone stay as they are. `progress(done, all)` is told after each disk.
    """
    slots = 0
    with store.reading() as cursor:
        every = [row[0] for row in cursor.execute("SELECT id FROM fleet_disk ORDER BY id")]
    disks = every if disk is None else [disk]
    for done, one in enumerate(disks, 1):
        for day in range(start // DAY_S * DAY_S, end, DAY_S):
            with store.transacting() as cursor:
                store.lock_disks(cursor, [one])
                keys = _stored_minutes(cursor, one, max(day, start), min(day + DAY_S, end))
                slots += settle(cursor, keys, timezone.now().timestamp()) if keys else 0
        progress(done, len(disks))
    return slots


def _stored_minutes(cursor: "psycopg.Cursor[tuple]", disk: int, start: int, end: int) -> set[Key]:
    return set(
        cursor.execute(
            f"""
            SELECT DISTINCT disk_id, vantage, extract(epoch FROM date_trunc('minute', start))::int8 FROM telemetry_frame
            WHERE disk_id = %s AND start >= to_timestamp({int(start)}) AND start < to_timestamp({int(end)})
            """,  # noqa: S608
            [disk],
        )
    )


def refresh_stale(*, silent_s: int = SILENT_S) -> int:
    """Judge again the disks that time alone has changed: silent, in or out of maintenance, calm again, a new month."""
    with store.transacting() as cursor:
        now = timezone.now()
        disks = [
            row[0]
            for row in cursor.execute(
                """
                SELECT disk_id FROM scoring_disknow AS row
                WHERE (seen_at < %s - make_interval(secs => %s) AND state <> %s)
                   OR updated_at < %s - interval '10 minutes'
                   OR (state = %s AND seen_at >= %s - make_interval(secs => %s))
                """,
                [now, silent_s, int(State.NO_DATA), now, int(State.NO_DATA), now, silent_s],
            )
        ]
        if disks:
            store.lock_disks(cursor, disks)
            rows = standings(cursor, disks)
            refresh(cursor, rows, now.timestamp())
            standings_judged.send(sender=Standing, cursor=cursor, rows=rows, now=now.timestamp(), lost=frozenset())
    return len(disks)
