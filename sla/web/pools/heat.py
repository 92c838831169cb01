"""How is a pool drawn? Its disks' slowdown over time as cells, and its habit by hour of the week."""

from math import log
from typing import Any

from sla.neighbours import reading
from sla.web.disk_range import Range

MOST_COLUMNS = 120  # as many as stand beside each other on a screen with a gap between them
MOST_DISKS = 60
# Times slower from which a cell of the week is a step darker.
STEPS = (1.05, 1.1, 1.2, 1.5)


def heat(pool: int, span: Range, names: dict[int, str], first: list[int]) -> dict[str, Any]:
    """Cells of [column, row, times slower]; `first`: disks to stand on top, in that order. Unknown has no cell."""
    told = reading.heat(pool, span.start, span.end, MOST_COLUMNS)
    wanted = {disk: rank for rank, disk in enumerate(first)}
    every = sorted(told["disks"], key=lambda row: (wanted.get(row["disk"], len(first)), -_slow(row["slowdown"])))
    rows = every[:MOST_DISKS]
    return {
        "start": told["start"],
        "step_s": told["step_s"],
        "disks": [{"id": row["disk"], "name": names.get(row["disk"], "?")} for row in rows],
        "hidden": len(every) - len(rows),
        "cells": [
            [column, place, times]
            for place, row in enumerate(rows)
            for column, times in enumerate(row["slowdown"])
            if times is not None
        ],
    }


def _slow(slowdown: list[float | None]) -> float:
    """How much slowness a row holds."""
    return sum(log(times) for times in slowdown if times is not None and times > 1)


def week(pool: int, end: int) -> list[list[dict[str, Any]]] | None:
    """Seven days of 24 hours from Monday, each {times, step}; None where nothing of the week is known."""
    hours = reading.week(pool, end)
    if all(hour is None for hour in hours):
        return None
    cells = [
        {"times": times, "step": None if times is None else sum(times >= step for step in STEPS)} for times in hours
    ]
    return [cells[24 * day : 24 * day + 24] for day in range(7)]
