"""The verb of every minute: follow each pool as far as its slots reach."""

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import timezone

from sla.neighbours import baselines, together, windows
from sla.neighbours.figures import STEP_S
from sla.neighbours.models import NeighbourWindow
from sla.neighbours.steps import Pool, advance, block_end, first_minute
from sla.neighbours.store import Cursor
from sla.scoring.store import transacting

# Pools a transaction takes: large enough that the planner is paid once for many, small enough for a second.
BATCH = 50
# One call does no more than this, so that a fleet that is new, or comes back, keeps no worker from its other tasks.
BUDGET_S = 20.0
# A disk whose frames are late is waited for so long; who has said nothing for SILENT_S is not waited for.
GRACE_S, SILENT_S = 90, 240
# A new pool is followed from so far back, to have something to learn from.
BACK_S = baselines.PAST_S


@dataclass(frozen=True, slots=True)
class Done:
    """What one call did."""

    pool_minutes: int
    windows: int


def detect_due(*, batch: int = BATCH, budget_s: float = BUDGET_S) -> Done:
    """Follow the pools whose next minutes are there. Several workers may do it at once; twice changes nothing."""
    until = time.monotonic() + budget_s
    minutes = saved = 0
    _know_all_pools()
    while time.monotonic() < until:
        with transacting() as cursor:
            now = int(timezone.now().timestamp())
            looked_at, claimed, ends = _claim(cursor, now, batch)
            if not looked_at:
                break
            for (start, end), pools in _together(claimed, ends).items():
                saved += _advance(cursor, pools, start, end, now)
                minutes += len(pools) * (end - start) // STEP_S
    return Done(minutes, saved)


def _know_all_pools() -> None:
    with transacting() as cursor:
        cursor.execute(
            "INSERT INTO neighbours_poolstate (pool_id) SELECT id FROM fleet_pool ON CONFLICT (pool_id) DO NOTHING"
        )


def _claim(cursor: Cursor, now: int, limit: int) -> tuple[int, list[Pool], dict[int, int]]:
    """Pools with minutes that are due and that nobody else is following, those that are nearly up to date first: how
    many there were, those of them that have minutes (a new one may have none yet), and up to where."""
    rows = cursor.execute(
        """
        WITH ready AS (
            SELECT d.pool_id, min(n.seen_at) FILTER (WHERE n.seen_at > to_timestamp(%(now)s - %(silent)s)) AS seen
            FROM fleet_disk d LEFT JOIN scoring_disknow n ON n.disk_id = d.id
            WHERE d.pool_id IS NOT NULL GROUP BY d.pool_id),
        due AS (
            SELECT pool_id, greatest(extract(epoch FROM seen)::int8, %(now)s - %(grace)s) / 60 * 60 AS upto FROM ready)
        SELECT s.pool_id, extract(epoch FROM s.first)::int8, extract(epoch FROM s.through)::int8, s.relearnt,
               least(due.upto, %(now)s / 60 * 60)
        FROM neighbours_poolstate s JOIN due ON due.pool_id = s.pool_id
        WHERE s.through IS NULL OR s.through < to_timestamp(least(due.upto, %(now)s / 60 * 60))
        ORDER BY s.through DESC NULLS LAST, s.pool_id LIMIT %(limit)s FOR UPDATE OF s SKIP LOCKED
        """,
        {"now": now, "silent": SILENT_S, "grace": GRACE_S, "limit": limit},
    ).fetchall()
    claimed, ends = [], {}
    for pool, first, through, relearnt, upto in rows:
        known = first is not None and through is not None
        one = Pool(pool, first, through, relearnt) if known else _begun(cursor, pool, upto)
        if one.start < upto:
            claimed.append(one)
            ends[pool] = upto
    return len(rows), claimed, ends


def _begun(cursor: Cursor, pool: int, upto: int) -> Pool:
    """A pool that nobody has followed yet, from its first slot of the last week on."""
    first = first_minute(cursor, pool, upto - BACK_S, upto)
    cursor.execute(
        "UPDATE neighbours_poolstate SET first = to_timestamp(%s), through = to_timestamp(%s) WHERE pool_id = %s",
        [first, first, pool],
    )
    return Pool(pool, first, first, 0)


def _together(claimed: Sequence[Pool], ends: dict[int, int]) -> dict[tuple[int, int], list[Pool]]:
    """Pools that are due for the same minutes, none beyond the moment where one is learnt anew."""
    found: dict[tuple[int, int], list[Pool]] = defaultdict(list)
    for one in claimed:
        found[one.start, block_end(one, ends[one.pool])].append(one)
    return found


def _advance(cursor: Cursor, pools: Sequence[Pool], start: int, end: int, now: int) -> int:
    """Follow these pools over [start, end), whose baselines stay the same in it; how many windows changed."""
    ids = [one.pool for one in pools]
    saved: list[NeighbourWindow] = []
    for pool, followed, model in advance(cursor, pools, start, end, windows.open_spans(ids, start)):
        saved += windows.save(cursor, pool, followed.touched, model, now)
    cursor.execute(
        "UPDATE neighbours_poolstate SET through = greatest(through, to_timestamp(%s)) WHERE pool_id = ANY(%s)",
        [end, ids],
    )
    begun = [int(window.start.timestamp()) for window in saved if window.disk_id is None]
    if begun:
        together.settle(cursor, min(begun), max(begun), now)
    return len(saved)
