"""How slow was each disk of a pool against its own past at that load? Disks down, time across."""

from itertools import pairwise
from typing import Any

import numpy as np

from sla.neighbours.store import Minutes, stored
from sla.scoring import store
from sla.web.disk_range import Range

MOST_COLUMNS = 120  # as many as stand beside each other on a screen with a gap between them
MOST_DISKS = 60
DIGITS = 3


def heat(pool: int, span: Range, names: dict[int, str], first: list[int]) -> dict[str, Any]:
    """Cells of [column, row, times slower]; `first`: disks to stand on top, in that order. Unknown has no cell."""
    with store.reading() as cursor:
        minutes = stored(cursor, pool, span.start, span.end)
    column_s = max(60, -(-span.length_s // MOST_COLUMNS // 60) * 60)
    columns = -(-span.length_s // column_s)
    rows = _order(minutes, first)[:MOST_DISKS]
    cells = []
    column = (minutes.slots.starts - span.start) // column_s if len(minutes.slots.starts) else np.array([], np.int64)
    edges = np.searchsorted(column, np.arange(columns + 1))
    for row, place in enumerate(rows):
        slower = np.exp(minutes.slower[place])
        for x, (low, high) in enumerate(pairwise(edges)):
            part = slower[low:high]
            part = part[np.isfinite(part)]
            if len(part):
                # The slowest third of a column tells: a window of five minutes must not drown in two hours.
                cells.append([x, row, round(float(np.quantile(part, 0.8)), DIGITS)])
    return {
        "start": span.start,
        "step_s": column_s,
        "disks": [{"id": minutes.disks[place], "name": names.get(minutes.disks[place], "?")} for place in rows],
        "hidden": max(0, len(minutes.disks) - len(rows)),
        "cells": cells,
        "pool": _pool_line(minutes, edges),
    }


def _order(minutes: Minutes, first: list[int]) -> list[int]:
    """Places of the disks: those named first, then who was slow most."""
    with np.errstate(invalid="ignore"):
        slow = np.nansum(np.maximum(np.nan_to_num(minutes.slower), 0.0), axis=1) if minutes.disks else np.array([])
    wanted = {disk: rank for rank, disk in enumerate(first)}
    places = range(len(minutes.disks))
    return sorted(places, key=lambda place: (wanted.get(minutes.disks[place], len(first)), -float(slow[place])))


def _pool_line(minutes: Minutes, edges: "np.ndarray") -> list[float | None]:
    """Of each column the pool's own slowdown over its habit."""
    over = np.exp(minutes.over)
    found: list[float | None] = []
    for low, high in pairwise(edges):
        part = over[low:high]
        part = part[np.isfinite(part)]
        found.append(round(float(np.quantile(part, 0.8)), DIGITS) if len(part) else None)
    return found
