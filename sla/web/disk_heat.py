"""How were a disk's requests spread over latency? R40 histograms drawn as a map, and their percentiles."""

from typing import Any

import numpy as np

from plimsoll_agent.core.r40 import EDGES_US
from sla.domain.evidence import UNKNOWN, Ints
from sla.domain.histogram import BUCKETS, percentiles_us

# Four R40 buckets make a row of R10: ten rows a decade, 26 % wide, as many as a chart of 200 px can show.
PER_ROW = 4
DIGITS = 4


def percentiles_ms(table: Ints, percents: tuple[int, ...]) -> list[list[float | None]]:
    """One list a percentile, one figure a row of `table` (steps, BUCKETS); None where nothing was counted."""
    return [
        [None if us == UNKNOWN else us / 1000 for us in column.tolist()] for column in percentiles_us(table, percents).T
    ]


def heat_map(table: Ints, start: int, step_s: int, column_steps: int) -> dict[str, Any]:
    """`table` (steps, BUCKETS) from `start` on -> cells [column, row, share of the column's I/Os], empty ones left out.

    `edges_ms`: lower edge of each row, and the last one's upper edge; only rows between the least and the most seen.
    Columns lie on the epoch's grid.
    """
    column_s = step_s * column_steps
    first = start // column_s * column_s
    column = (start - first) // step_s + np.arange(len(table))
    merged = np.zeros((int(column[-1]) // column_steps + 1, BUCKETS), np.int64)
    np.add.at(merged, column // column_steps, table)
    # Position 0 is "below 10 µs" and the last is "100 s and above": rows of their own at the ends.
    inside = merged[:, 1:-1].reshape(len(merged), -1, PER_ROW).sum(axis=2)
    rows = np.column_stack((merged[:, 0], inside, merged[:, -1]))
    edges = [0.0, *(us / 1000 for us in EDGES_US[::PER_ROW]), None]
    seen = np.flatnonzero(rows.sum(axis=0))
    empty: dict[str, Any] = {"start": first, "step_s": column_s, "edges_ms": [], "cells": []}
    if not len(seen):
        return empty
    low, high = int(seen[0]), int(seen[-1])
    shares = rows[:, low : high + 1] / np.maximum(rows.sum(axis=1, keepdims=True), 1)
    at = np.nonzero(shares)
    places = (axis.tolist() for axis in at)
    cells = [list(cell) for cell in zip(*places, shares[at].round(DIGITS).tolist(), strict=True)]
    return {**empty, "edges_ms": edges[low : high + 2], "cells": cells}
