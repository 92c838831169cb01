"""What do the next minutes of these pools say? Slots in, pool minutes stored, windows touched: one block of time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sla.domain.neighbours.model import Model
from sla.domain.neighbours.track import Span
from sla.neighbours import baselines
from sla.neighbours.follow import HOURS_S, TAIL_S, Followed, follow, unlearnt
from sla.neighbours.store import Cursor, Put, before, measured, put_minutes

# Minutes at a time where many are due.
BLOCK_S = 86_400


@dataclass(frozen=True, slots=True)
class Pool:
    """A pool that is ours for this transaction: its first minute, from where on it is followed, and how often its past
    was learnt anew."""

    pool: int
    first: int
    start: int
    relearnt: int


def block_end(one: Pool, end: int) -> int:
    """`end`, or before it where a day is over or the pool is learnt anew."""
    return min(end, one.start + BLOCK_S, baselines.next_moment(one.pool, one.first, one.start))


def advance(
    cursor: Cursor, pools: Sequence[Pool], start: int, end: int, spans: Mapping[int, dict[int | None, Span]]
) -> Iterator[tuple[int, Followed, Model]]:
    """Pools over [start, end), whose baselines stay the same in it, with the windows that are open at its start, by
    pool: their minutes are stored before the first is told of. A pool that is too young to judge is not told of."""
    ids = [one.pool for one in pools]
    new = measured(cursor, ids, start, end)
    past = before(cursor, ids, start, HOURS_S, TAIL_S)
    puts, found = [], []
    for one in pools:
        if one.pool not in new:
            continue
        known = baselines.known_at(cursor, one.pool, one.first, start, one.relearnt)
        mine = new[one.pool]
        if known is None:
            puts.append(Put(one.pool, unlearnt(mine).minutes))
            continue
        model = known[1].of(baselines.places_of(known, mine.disks))
        followed = follow(model, mine, past[one.pool], dict(spans.get(one.pool, {})))
        puts.append(Put(one.pool, followed.minutes))
        found.append((one.pool, followed, model))
    put_minutes(cursor, puts, start, end)
    yield from found


def first_minute(cursor: Cursor, pool: int, since: int, upto: int) -> int:
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
