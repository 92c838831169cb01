"""What do pages read of a pool? Its heat map, what it would have noticed, its habits by hour of the week, curves."""

from typing import Any

import numpy as np

from sla.domain.neighbours.profile import habit_at, hour_of_week
from sla.neighbours import evidence
from sla.neighbours.figures import STEP_S, unpack_model
from sla.neighbours.models import NeighbourWindow, PoolBaseline
from sla.neighbours.store import stored
from sla.scoring.store import reading

WEEK_S = 7 * 86_400


def heat(pool: int, start: int, end: int, columns: int = 180) -> dict[str, Any]:
    """Disks × time over [start, end) in Unix seconds: how many times slower than expected, the worst minute of each
    column; None where nothing is known. `pool` is the same of the pool's own signal."""
    with reading() as cursor:
        minutes = stored(cursor, pool, start, end)
    step = max(STEP_S, -(-(end - start) // columns // STEP_S) * STEP_S)
    count = -(-(end - start) // step)
    place = (minutes.slots.starts - start) // step
    table = np.full((len(minutes.disks) + 1, count), -np.inf)
    for row, values in enumerate((minutes.over, *minutes.slower)):
        known = np.isfinite(values)
        np.maximum.at(table[row], place[known], values[known])
    rows = [[None if value == -np.inf else round(float(np.exp(value)), 3) for value in row] for row in table]
    return {
        "start": start,
        "step_s": step,
        "pool": rows[0],
        "disks": [{"disk": disk, "slowdown": row} for disk, row in zip(minutes.disks, rows[1:], strict=True)],
    }


def least_visible(pools: list[int]) -> dict[int, float]:
    """The least lasting slowdown that would have opened a window, by pool: what calm is worth; no young pools."""
    newest = PoolBaseline.objects.filter(pool__in=pools).order_by("pool", "-at").distinct("pool")
    return dict(newest.values_list("pool", "least_visible"))


def week(pool: int, end: int) -> list[float | None]:
    """How many times slower than its disks' loads explain, by hour of the week from Monday 00:00 UTC, over the last
    week: the same load is slower by day."""
    with reading() as cursor:
        rows = cursor.execute(
            """
            SELECT extract(epoch FROM start)::int8, signal FROM neighbours_poolminute
            WHERE pool_id = %s AND start >= to_timestamp(%s) AND start < to_timestamp(%s) AND signal IS NOT NULL
            """,
            [pool, end - WEEK_S, end],
        ).fetchall()
    starts, values = np.array([row[0] for row in rows], np.int64), np.array([row[1] for row in rows], np.float64)
    newest = PoolBaseline.objects.filter(pool=pool).order_by("-at").first()
    if newest is not None:
        # The signal has the daily habit taken off; here it is what is asked for.
        values += habit_at(unpack_model(bytes(newest.body), newest.thresholds).habit, starts)
    return [None if np.isnan(value) else round(float(value), 3) for value in hour_of_week(values, starts)]


def curves(window: NeighbourWindow, chosen: list[tuple[int, str]]) -> dict[str, Any]:
    """The window and half an hour on both sides as it is now, for these disks and their roles."""
    start, last = int(window.start.timestamp()), int(window.evidence["last"])
    with reading() as cursor:
        around = evidence.AROUND_S
        minutes = stored(cursor, window.pool_id, start - around, last + around)
    return evidence.curves(minutes, start, last, chosen)
