"""What is usual for a pool at a minute? Learnt from the week before, at moments that are the same in every run."""

import json
from collections import OrderedDict

import numpy as np

from sla.domain.neighbours.model import Model, learn
from sla.domain.neighbours.slots import Ints
from sla.neighbours.figures import pack_model, unpack_model
from sla.neighbours.store import Cursor, stored

PAST_S = 7 * 86_400
HOUR_S = 3_600
# A young pool is learnt anew soon, since each hour doubles what is known; an old one twice a day.
YOUNG_H = (1, 2, 3, 6, 12, 24)
OLD_S = 12 * HOUR_S
# Models are read once by each worker, not once a minute: 10,000 disks are about 3 MB.
REMEMBERED = 2_000
_memory: OrderedDict[tuple[int, int, int], tuple[list[int], Model]] = OrderedDict()

# Whose model it is: disks in order, and the model.
Known = tuple[list[int], Model]


def learning_moments(pool: int, first: int) -> tuple[list[int], int]:
    """When a pool that was first seen then is learnt: the early moments, and where the regular ones count from.

    The regular ones are spread by pool, so that not all are due at once.
    """
    young = [first + hours * HOUR_S for hours in YOUNG_H]
    return young, young[-1] + pool * 37 * 60 % OLD_S


def last_moment(pool: int, first: int, now: int) -> int | None:
    """The latest moment of learning at or before now; None before the first."""
    young, regular = learning_moments(pool, first)
    if now >= regular:
        return regular + (now - regular) // OLD_S * OLD_S
    return max((at for at in young if at <= now), default=None)


def next_moment(pool: int, first: int, now: int) -> int:
    """The first moment of learning after now."""
    young, regular = learning_moments(pool, first)
    later = [at for at in (*young, regular) if at > now]
    return min(later) if later else regular + ((now - regular) // OLD_S + 1) * OLD_S


def known_at(cursor: Cursor, pool: int, first: int, now: int, relearnt: int) -> Known | None:
    """The pool's model for the minute `now`, learnt if need be. None while it is too young.

    relearnt: how often the pool's past was learnt anew, so that no worker goes on with what it remembers from before.
    """
    at = last_moment(pool, first, now)
    if at is None:
        return None
    if (key := (pool, at, relearnt)) in _memory:
        _memory.move_to_end(key)
        return _memory[key]
    known = _read(cursor, pool, at) or learn_at(cursor, pool, at)
    if known is not None:
        _memory[key] = known
        while len(_memory) > REMEMBERED:
            _memory.popitem(last=False)
    return known


def forget_all() -> None:
    """Another database is looked at."""
    _memory.clear()


def places_of(known: Known, disks: list[int]) -> Ints:
    """Where each disk stands in the model, -1 where it is new."""
    order = np.array(known[0], np.int64)
    if not len(order):
        return np.full(len(disks), -1, np.int64)
    wanted = np.array(disks, np.int64)
    at = np.minimum(np.searchsorted(order, wanted), len(order) - 1)
    return np.where(order[at] == wanted, at, -1)


def _read(cursor: Cursor, pool: int, at: int) -> Known | None:
    row = cursor.execute(
        "SELECT disks, body, thresholds::text FROM neighbours_poolbaseline "
        "WHERE pool_id = %s AND at = to_timestamp(%s)",
        [pool, at],
    ).fetchone()
    # As text: Django has its connections hand out JSON unread.
    return None if row is None else (row[0], unpack_model(bytes(row[1]), json.loads(row[2])))


def learn_at(cursor: Cursor, pool: int, at: int) -> Known | None:
    """From the week before that moment, and stored; None where there is too little."""
    past = stored(cursor, pool, at - PAST_S, at)
    model = learn(past.slots)
    if model is None:
        return None
    body = pack_model(model)
    thresholds = {"opens": list(model.thresholds.opens), "hot": model.thresholds.hot}
    cursor.execute(
        """
        INSERT INTO neighbours_poolbaseline (pool_id, at, disks, body, thresholds, least_visible)
        VALUES (%s, to_timestamp(%s), %s, %s, jsonb_build_object('opens', %s::float8[], 'hot', %s::float8), %s)
        ON CONFLICT (pool_id, at) DO UPDATE SET disks = EXCLUDED.disks, body = EXCLUDED.body,
            thresholds = EXCLUDED.thresholds, least_visible = EXCLUDED.least_visible
        """,
        [
            *(pool, at, past.disks, body, thresholds["opens"], thresholds["hot"]),
            float(np.exp(model.thresholds.least)),
        ],
    )
    # As it will be read by everybody else, to the last bit.
    return past.disks, unpack_model(body, thresholds)
