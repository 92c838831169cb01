"""What do minutes say that are past already? A pool followed again: the same windows corrected, none found twice."""

from dataclasses import replace

from django.utils import timezone

from sla.domain.neighbours.model import Model
from sla.domain.neighbours.track import Span
from sla.neighbours import together, windows
from sla.neighbours.figures import STEP_S
from sla.neighbours.follow import Touched
from sla.neighbours.services import BACK_S
from sla.neighbours.steps import Pool, advance, block_end, first_minute
from sla.neighbours.store import Cursor
from sla.scoring.store import transacting

# Beyond what was asked for a window that is open there is followed to its end, so much at a time.
ON_S = 3_600


def redetect(*, start: int, end: int, pool: int) -> int:
    """Follow one pool again over [start, end) from its slots; how many windows there are in it now.

    The week before is read first where it never was. Twice gives the same.
    """
    now = int(timezone.now().timestamp())
    start, end = start // STEP_S * STEP_S, min(end, now) // STEP_S * STEP_S
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
            first = start = first_minute(cursor, pool, start - BACK_S, end)
            cursor.execute("UPDATE neighbours_poolstate SET first = to_timestamp(%s) WHERE pool_id = %s", [first, pool])
        through = first if through is None else through
        return follow_again(cursor, pool, first, min(start, through), end, through, now)


def follow_again(cursor: Cursor, pool: int, first: int, start: int, end: int, through: int, now: int) -> int:
    """Follow a pool, whose row is locked, from `start` to `end`, and beyond it as far as it was followed before
    (`through`) while a window is open; how many windows there are in it now. What was learnt from minutes that may
    have changed is learnt anew."""
    at = Pool(pool, first, start, _forget(cursor, pool, start))
    spans = windows.open_spans([pool], start).get(pool, {})
    heard: dict[tuple[int | None, int], tuple[Touched, Model]] = {}
    while at.start < end or (at.start < through and spans):
        stop = block_end(at, end if at.start < end else min(through, at.start + ON_S))
        touched = [
            (one, model)
            for _, followed, model in advance(cursor, [at], at.start, stop, {pool: spans})
            for one in followed.touched
        ]
        heard |= {(one.disk, one.span.start): (one, model) for one, model in touched}
        spans = _open(touched)
        at = replace(at, start=stop)
    cursor.execute(
        "UPDATE neighbours_poolstate SET through = greatest(through, to_timestamp(%s)) WHERE pool_id = %s",
        [at.start, pool],
    )
    found = windows.replace(cursor, pool, list(heard.values()), start, at.start, now)
    begun = [one.span.start for one, _ in heard.values() if one.disk is None]
    together.settle(cursor, min([start, *begun]), at.start, now)
    return found


def _open(touched: list[tuple[Touched, Model]]) -> dict[int | None, Span]:
    return {one.disk: one.span for one, _ in touched if one.span.open}


def _forget(cursor: Cursor, pool: int, since: int) -> int:
    """Away with what was learnt after that moment; how often that has been done to this pool."""
    gone = cursor.execute(
        "DELETE FROM neighbours_poolbaseline WHERE pool_id = %s AND at > to_timestamp(%s)", [pool, since]
    ).rowcount
    row = cursor.execute(
        "UPDATE neighbours_poolstate SET relearnt = relearnt + %s WHERE pool_id = %s RETURNING relearnt",
        [1 if gone else 0, pool],
    ).fetchone()
    return int(row[0]) if row else 0
