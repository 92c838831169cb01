"""Which minutes came when their pool may have been followed through them? Marked as they are scored, followed again."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from django.dispatch import receiver
from django.utils import timezone

from sla.fleet.vantage import Vantage
from sla.neighbours.again import follow_again
from sla.neighbours.figures import STEP_S
from sla.neighbours.services import GRACE_S, SILENT_S, Done
from sla.neighbours.store import Cursor, measured, stored
from sla.scoring.signals import slots_scored
from sla.scoring.store import Key, transacting

# What is older is followed again by hand (`manage.py detect_neighbours`): a day is what an agent's spool brings back.
BACK_S = 86_400
# An agent that comes back sends its spool in many requests: one run for all of it.
GATHER_S = 30
# Between the slot and its commit, and between two clocks' seconds.
MARGIN_S = 30
# One call does no more than this.
BUDGET_S = 10.0

_MARK = f"""
INSERT INTO neighbours_lateminutes (pool_id, first, last, marked_at)
SELECT coalesce(m.pool_id, d.pool_id), to_timestamp(min(slot.minute)), to_timestamp(max(slot.minute)),
       to_timestamp(%(now)s)
FROM unnest(%(disks)s::int8[], %(vantages)s::int2[], %(minutes)s::int8[]) AS slot (disk, vantage, minute)
JOIN fleet_disk d ON d.id = slot.disk
LEFT JOIN scoring_disknow n ON n.disk_id = slot.disk
LEFT JOIN fleet_poolmembership m ON m.disk_id = slot.disk
    AND (m.valid_to IS NULL OR m.valid_to > to_timestamp(slot.minute))
WHERE slot.minute >= %(now)s - {BACK_S} AND coalesce(m.pool_id, d.pool_id) IS NOT NULL
  AND (n.seen_at IS NULL OR n.seen_at < to_timestamp(%(now)s - {SILENT_S - 2 * MARGIN_S})
       OR n.seen_at >= to_timestamp(slot.minute + {STEP_S})
       OR slot.minute + {STEP_S + GRACE_S - MARGIN_S} <= %(now)s)
  AND (slot.vantage <> {Vantage.HOST:d} OR NOT EXISTS (
       SELECT 1 FROM scoring_slot g WHERE g.disk_id = slot.disk AND g.vantage = {Vantage.GUEST:d}
         AND g.start = to_timestamp(slot.minute)))
GROUP BY 1
"""  # noqa: S608  (only integers of ours are written into the text)


@receiver(slots_scored)
def mark(cursor: Cursor, keys: Sequence[Key], now: float, **_: Any) -> None:
    """Slots that nobody waits for: their disk was silent or is new, has sent later minutes already, or its time is up.

    For all others the pool's minute is not followed before they are there. Runs before the disks' standing is written:
    `seen_at` is how far a disk was seen until now, as whoever follows its pool sees it.
    """
    disks, vantages, minutes = zip(*keys, strict=True)
    cursor.execute(_MARK, {"now": int(now), "disks": list(disks), "vantages": list(vantages), "minutes": list(minutes)})


def follow_late(*, budget_s: float = BUDGET_S) -> Done:
    """Follow those pools again whose late minutes say something else; a transaction a pool, twice changes nothing."""
    until = time.monotonic() + budget_s
    minutes = found = 0
    while time.monotonic() < until:
        with transacting() as cursor:
            now = int(timezone.now().timestamp())
            row = _claim(cursor, now)
            if row is None:
                break
            pool, first, through = row
            marked = _take(cursor, pool)
            if marked is None or through is None:
                continue  # nobody has followed it yet: what is there is read when somebody does
            earliest = _changed(cursor, pool, max(marked[0], first, now - BACK_S), min(marked[1] + STEP_S, through))
            if earliest is not None:
                found += follow_again(cursor, pool, first, earliest, through, through, now)
                minutes += (through - earliest) // STEP_S
    return Done(minutes, found)


def _claim(cursor: Cursor, now: int) -> tuple[int, int, int | None] | None:
    """A pool with late minutes that nobody follows just now: first minute, and how far it is followed."""
    row = cursor.execute(
        """
        SELECT s.pool_id, coalesce(extract(epoch FROM s.first)::int8, 0), extract(epoch FROM s.through)::int8
        FROM neighbours_poolstate s
        WHERE s.pool_id IN (
            SELECT pool_id FROM neighbours_lateminutes GROUP BY pool_id HAVING min(marked_at) <= to_timestamp(%s))
        ORDER BY s.pool_id LIMIT 1 FOR UPDATE SKIP LOCKED
        """,
        [now - GATHER_S],
    ).fetchone()
    return None if row is None else (row[0], row[1], row[2])


def _take(cursor: Cursor, pool: int) -> tuple[int, int] | None:
    """The pool's marks, gone with this transaction: first and last minute. The slots are read after this."""
    rows = cursor.execute(
        """
        DELETE FROM neighbours_lateminutes WHERE pool_id = %s
        RETURNING extract(epoch FROM first)::int8, extract(epoch FROM last)::int8
        """,
        [pool],
    ).fetchall()
    return (min(row[0] for row in rows), max(row[1] for row in rows)) if rows else None


def _changed(cursor: Cursor, pool: int, start: int, end: int) -> int | None:
    """The first minute of [start, end) whose figures are others than those that were followed."""
    start = start // STEP_S * STEP_S
    if start >= end:
        return None
    new, old = measured(cursor, [pool], start, end).get(pool), stored(cursor, pool, start, end)
    if new is None:
        return None
    disks = sorted({*new.disks, *old.disks})
    tables = np.full((2, 3, len(disks), (end - start) // STEP_S), np.nan, np.float32)
    for table, members, slots in ((tables[0], new.disks, new.slots), (tables[1], old.disks, old.slots)):
        rows, columns = np.searchsorted(disks, members), (slots.starts - start) // STEP_S
        for place, values in enumerate((slots.ios, slots.size_bytes, slots.time_ms)):
            table[place, rows[:, None], columns] = values
    same = (tables[0] == tables[1]) | (np.isnan(tables[0]) & np.isnan(tables[1]))
    odd = np.flatnonzero(~same.all(axis=(0, 1)))
    return start + STEP_S * int(odd[0]) if len(odd) else None
