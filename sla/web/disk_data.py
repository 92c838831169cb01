"""What do the charts of a disk's page draw? One plain dict: at first sight in the page, then refreshed in place.

A gap is None in every line, never a zero. Nothing in it names another customer's disk.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from math import gcd
from typing import Any

from sla.accounts.models import User
from sla.contracts.models import Assignment
from sla.contracts.selectors import assignments_between, milliseconds
from sla.fleet.models import Disk
from sla.fleet.vantage import Vantage
from sla.scoring.bins import COUNTS, Bins, bins_between, grid, histograms_between, states
from sla.scoring.burndown import burn_down, burn_table
from sla.scoring.models import DiskNow
from sla.web.disk_events import events
from sla.web.disk_heat import heat_map, percentiles_ms
from sla.web.disk_range import Range
from sla.web.disk_words import burn_words, header, runs_out, state_words, tiles

SHOWN_COUNTS = tuple(name for name in COUNTS if name not in ("slots", "unproved", "breached_proved"))


def page_data(disk: Disk, user: User, span: Range, at: datetime) -> dict[str, Any]:
    """Everything that the page of a disk shows of a span of time."""
    now: DiskNow | None = getattr(disk, "now", None)
    moment = at.timestamp()
    assigned = assignments_between([disk.pk], datetime.fromtimestamp(span.start, UTC), at).get(disk.pk, [])
    current = assigned[-1] if assigned else None
    vantage = current.version.vantage if current else int(Vantage.GUEST)
    first_at = now.first_at.timestamp() if now and now.first_at else None
    line, burn = (burn_down(now, moment), burn_words(burn_table(now))) if now else (None, [])
    return {
        "disk": disk.pk,
        "made_at": round(moment, 1),
        "range": {
            "name": span.name,
            "start": span.start,
            "end": span.end,
            "live": span.live,
            "step_s": span.step_s,
            "from": "hours" if span.step_s % 3600 == 0 else "minutes",
        },
        "state": state_words(now),
        "header": header(disk, user, current),
        "tiles": tiles(disk, now, current),
        "terms": [_term(one, span) for one in assigned],
        "events": events(disk, user, span),
        **_lines(disk.pk, vantage, span, moment, first_at),
        "budget": line,
        "burn": burn,
        "runs_out": runs_out(line, burn, moment),
    }


def _term(assigned: Assignment, span: Range) -> dict[str, Any]:
    """The lines that a contract draws, and over which part of the span."""
    version = assigned.version
    return {
        "start": max(span.start, int(assigned.valid_from.timestamp())) if assigned.valid_from else span.start,
        "end": min(span.end, int(assigned.valid_to.timestamp())) if assigned.valid_to else span.end,
        "version": version.number,
        "text": version.text,
        "read_threshold_ms": milliseconds(version.read_threshold_us),
        "write_threshold_ms": milliseconds(version.write_threshold_us),
        "iops": version.iops,
        "depth": version.depth,
    }


def _lines(disk_id: int, vantage: int, span: Range, now: float, first_at: float | None) -> dict[str, Any]:
    fine_s = gcd(span.step_s, span.cell_s)
    first, steps = grid(span.start, span.end, span.cell_s)
    fine = bins_between(disk_id, vantage, first, max(span.end, first + steps * span.cell_s), fine_s)
    bins = fine.merged(span.start, span.end, span.step_s)
    cells = fine.merged(span.start, span.end, span.cell_s)
    latencies = histograms_between(disk_id, vantage, span.start, span.end, span.step_s)
    p50, p95, p99 = percentiles_ms(latencies, (50, 95, 99))
    return {
        "t": bins.starts.tolist(),
        **series(bins),
        "p50_ms": p50,
        "p95_ms": p95,
        "p99_ms": p99,
        "states": states(bins, now, first_at),
        "cells": cell_bar(cells, now, first_at),
        "heat": heat_map(latencies, bins.start, bins.step_s, span.column_s // span.step_s),
    }


def series(bins: Bins) -> dict[str, Sequence[float | None]]:
    """Means weighted by I/Os and rates over observed seconds; None where nothing was seen or nothing done."""
    s = bins.sums
    ios = s["read_ios"] + s["write_ios"]
    within = s["eligible"]
    return {
        "read_await_ms": bins.ratio(s["read_ms"], s["read_ios"]),
        "write_await_ms": bins.ratio(s["write_ms"], s["write_ios"]),
        "read_iops": bins.ratio(s["read_ios"], s["observed_s"]),
        "write_iops": bins.ratio(s["write_ios"], s["observed_s"]),
        "read_bps": whole(bins.ratio(s["read_bytes"], s["observed_s"])),
        "write_bps": whole(bins.ratio(s["write_bytes"], s["observed_s"])),
        "within_iops": bins.ratio(within, s["observed_s"]),
        "excess_iops": bins.ratio(ios - within, s["observed_s"]),
        "aqu_sz": bins.ratio(s["queue_ms"], 1000 * s["observed_s"]),
        "coverage": [min(1.0, round(seen / bins.step_s, 4)) for seen in s["observed_s"].tolist()],
    }


def whole(values: list[float | None]) -> list[int | None]:
    """Bytes a second have no places worth sending."""
    return [None if value is None else round(value) for value in values]


def cell_bar(cells: Bins, now: float, first_at: float | None) -> dict[str, Any]:
    """The state bar: the worst slot of each cell, whether that is proved, and how many slots were what."""
    words = states(cells, now, first_at)
    proved = [
        bool(cells.sums["breached_proved"][i]) if word == "breached" else not cells.sums["unproved"][i]
        for i, word in enumerate(words)
    ]
    counts = [{name: count for name in SHOWN_COUNTS if (count := int(cells.sums[name][i]))} for i in range(len(words))]
    return {"start": cells.start, "step_s": cells.step_s, "states": words, "proved": proved, "counts": counts}
