"""The verbs: follow every pool as far as its slots reach, and follow it again over a time that is past."""

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import timezone

from sla.neighbours import baselines, windows
from sla.neighbours.figures import STEP_S
from sla.neighbours.follow import HOURS_S, TAIL_S, follow, unlearnt
from sla.neighbours.store import Cursor, Put, before, measured, moment, put_minutes
from sla.scoring.store import transacting

# Pools a transaction takes: large enough that the planner is paid once for many, small enough for a second.
BATCH = 50
# One call does no more than this, so that a fleet that is new, or comes back, keeps no worker from its other tasks.
BUDGET_S = 20.0
# A disk whose frames are late is waited for so long; who has said nothing for SILENT_S is not waited for.
GRACE_S, SILENT_S = 90, 240
# A new pool is followed from so far back, to have something to learn from.
BACK_S = baselines.PAST_S
# Minutes at a time where many are due.
BLOCK_S = 86_400
# Windows that ended longer ago than this are no news: nobody is told.
NEWS_S = 3_600


@dataclass(frozen=True, slots=True)
class Pool:
    """A pool that is ours for this transaction: its first minute, and from where on it is due."""

    pool: int
    first: int
    start: int


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
                saved += len(_advance(cursor, pools, start, end, now))
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
        SELECT s.pool_id, extract(epoch FROM s.first)::int8, extract(epoch FROM s.through)::int8,
               least(due.upto, %(now)s / 60 * 60)
        FROM neighbours_poolstate s JOIN due ON due.pool_id = s.pool_id
        WHERE s.through IS NULL OR s.through < to_timestamp(least(due.upto, %(now)s / 60 * 60))
        ORDER BY s.through DESC NULLS LAST, s.pool_id LIMIT %(limit)s FOR UPDATE OF s SKIP LOCKED
        """,
        {"now": now, "silent": SILENT_S, "grace": GRACE_S, "limit": limit},
    ).fetchall()
    claimed, ends = [], {}
    for pool, first, through, upto in rows:
        one = _begun(cursor, pool, upto) if first is None or through is None else Pool(pool, first, through)
        if one.start < upto:
            claimed.append(one)
            ends[pool] = upto
    return len(rows), claimed, ends


def _begun(cursor: Cursor, pool: int, upto: int) -> Pool:
    """A pool that nobody has followed yet, from its first slot of the last week on."""
    first = _first_minute(cursor, pool, upto - BACK_S, upto)
    cursor.execute(
        "UPDATE neighbours_poolstate SET first = to_timestamp(%s), through = to_timestamp(%s) WHERE pool_id = %s",
        [first, first, pool],
    )
    return Pool(pool, first, first)


def _first_minute(cursor: Cursor, pool: int, since: int, upto: int) -> int:
    """Of the pool's slots since then; `upto` where there is none."""
    row = cursor.execute(
        """
        SELECT extract(epoch FROM min(s.start))::int8 FROM fleet_disk d, LATERAL (
            SELECT start FROM scoring_slot WHERE disk_id = d.id AND vantage IN (1, 2)
              AND start >= to_timestamp(%s) AND start < to_timestamp(%s) ORDER BY start LIMIT 1) AS s
        WHERE d.pool_id = %s
        """,
        [since, upto, pool],
    ).fetchone()
    return upto if row is None or row[0] is None else int(row[0])


def _together(claimed: Sequence[Pool], ends: dict[int, int]) -> dict[tuple[int, int], list[Pool]]:
    """Pools that are due for the same minutes, none beyond the moment where one is learnt anew."""
    found: dict[tuple[int, int], list[Pool]] = defaultdict(list)
    for one in claimed:
        found[one.start, _block_end(one, ends[one.pool])].append(one)
    return found


def _block_end(one: Pool, end: int) -> int:
    return min(end, one.start + BLOCK_S, baselines.next_moment(one.pool, one.first, one.start))


def _advance(cursor: Cursor, pools: Sequence[Pool], start: int, end: int, now: int) -> list[int]:
    """Follow these pools over [start, end), whose baselines stay the same in it; the windows that were stored."""
    ids = [one.pool for one in pools]
    new = measured(cursor, ids, start, end)
    past = before(cursor, ids, start, HOURS_S, TAIL_S)
    spans = windows.open_spans(ids, start)
    puts, found = [], []
    for one in pools:
        if one.pool not in new:
            continue
        known = baselines.known_at(cursor, one.pool, one.first, start)
        mine = new[one.pool]
        if known is None:
            puts.append(Put(one.pool, unlearnt(mine).minutes))
            continue
        model = known[1].of(baselines.places_of(known, mine.disks))
        followed = follow(model, mine, past[one.pool], spans.get(one.pool, {}))
        puts.append(Put(one.pool, followed.minutes))
        found.append((one.pool, followed, model))
    put_minutes(cursor, puts, start, end)
    saved = [
        window.pk
        for pool, followed, model in found
        for window in windows.save(cursor, pool, followed.touched, model, tell=end > now - NEWS_S)
    ]
    cursor.execute(
        "UPDATE neighbours_poolstate SET through = greatest(through, to_timestamp(%s)) WHERE pool_id = ANY(%s)",
        [end, ids],
    )
    return saved


def redetect(*, start: int, end: int, pool: int) -> int:
    """Follow one pool again over [start, end) from its slots; how many windows there are in it now.

    The week before is read first where it never was. Twice gives the same.
    """
    start, end = start // STEP_S * STEP_S, min(end, int(timezone.now().timestamp())) // STEP_S * STEP_S
    with transacting() as cursor:
        cursor.execute("INSERT INTO neighbours_poolstate (pool_id) VALUES (%s) ON CONFLICT DO NOTHING", [pool])
        row = cursor.execute(
            """
            SELECT extract(epoch FROM first)::int8, extract(epoch FROM through)::int8 FROM neighbours_poolstate
            WHERE pool_id = %s FOR UPDATE
            """,
            [pool],
        ).fetchone()
        first, through = row or (None, None)
        if first is None or through is None or start < first:
            first = _first_minute(cursor, pool, start - BACK_S, end)
            at = first
        else:
            at = min(start, through)
        cursor.execute(
            """
            UPDATE neighbours_poolstate SET first = to_timestamp(%(first)s),
                through = greatest(coalesce(through, to_timestamp(%(first)s)), to_timestamp(%(first)s))
            WHERE pool_id = %(pool)s
            """,
            {"first": first, "pool": pool},
        )
        # What was learnt from minutes that change is learnt anew.
        cursor.execute("DELETE FROM neighbours_poolbaseline WHERE pool_id = %s AND at > to_timestamp(%s)", [pool, at])
        baselines.forget(pool, at + 1)
    return _follow_again(Pool(pool, first, at), end, through or 0)


def _follow_again(one: Pool, end: int, through: int) -> int:
    """Block after block; beyond `end` while a window is open there, as far as the pool was followed before."""
    begin, now, kept = one.start, int(timezone.now().timestamp()), []
    while one.start < end or (one.start < through and windows.open_spans([one.pool], one.start)):
        with transacting() as cursor:
            stop = _block_end(one, end if one.start < end else min(through, one.start + 3_600))
            kept += _advance(cursor, [one], one.start, stop, now)
        one = Pool(one.pool, one.first, stop)
    with transacting():
        windows.drop_others(one.pool, moment(begin), moment(one.start), kept)
    return len(set(kept))
