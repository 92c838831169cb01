"""A minute as an agent would have sent it of a recorded run: real counters, judged by the real meter.

Runs last 40 to 60 s; the minute goes on with the run's beginning.
"""

from __future__ import annotations

from itertools import cycle, islice, pairwise
from typing import Any

from bench.lab import NS_PER_S, Run, Sample
from plimsoll_agent.core.counters import FIELDS, IN_FLIGHT, difference
from plimsoll_agent.core.meter import DiskMeter
from plimsoll_agent.core.terms import Term

STEPS = 60
COLUMNS = tuple(name for name in FIELDS if name != "in_flight")
COUNTS = ("read_lo", "read_hi", "read_est", "write_lo", "write_hi", "write_est", "covered_est")
LABELS = (*COUNTS, "excess_lo", "excess_hi", "lost_ms")
CADENCE_MS = 100


def content(run: Run, term: int) -> dict[str, Any]:
    """Arrays, labels, histograms and base of the protocol's frame; without device, times and n."""
    wanted = Term(term, 15_000, 15_000, 1000, 13, 100_000, 262_144)
    meter = DiskMeter([wanted], rule=run.rule)
    samples = run.at_cadence(CADENCE_MS)
    seconds = _seconds(samples)
    rows: list[dict[str, int | None]] = []
    for inside in seconds:
        for sample in inside:
            meter.sample(sample.before_ns, sample.counters, sample.after_ns)
        counts = meter.close_second()[term]
        rows.append({name: getattr(counts, name) for name in LABELS})
    rows = rows[1:]  # a second lasts from the last sample of the one before to its own: the first has no beginning
    figures = _figures([inside[-1] for inside in seconds])
    n = min(len(figures), len(rows))
    read, write = meter.take_histograms()
    base = dict(zip(FIELDS, samples[0].counters, strict=True))
    minute = list(islice(cycle(range(n)), STEPS))
    return {
        **{name: [figures[k][name] for k in minute] for name in (*COLUMNS, "in_flight")},
        "fine_ms": [CADENCE_MS] * STEPS,
        "in_flight_rule": run.rule,
        "base": base,
        "slow": [
            {"term": term, "threshold_ms": 15, "pool_start": 0}
            | {name: [rows[k][name] for k in minute] for name in LABELS}
        ],
        "read_hist": sorted([bucket, count] for bucket, count in read.items()),
        "write_hist": sorted([bucket, count] for bucket, count in write.items()),
        "machine": {"steal_ratio": 0.003, "iowait_ratio": 0.021, "dirty_bytes": 18_432_000, "d_state_tasks": 1},
    }


def _seconds(samples: list[Sample]) -> list[list[Sample]]:
    """The samples of each second of the monotonic clock."""
    first = samples[0].before_ns // NS_PER_S
    seconds: list[list[Sample]] = [[] for _ in range(samples[-1].before_ns // NS_PER_S - first + 1)]
    for sample in samples:
        seconds[sample.before_ns // NS_PER_S - first].append(sample)
    return [inside for inside in seconds if inside]


def _figures(ends: list[Sample]) -> list[dict[str, int | None]]:
    """What each field did between the ends of two seconds; in_flight is the level."""
    steps = []
    for before, after in pairwise(ends):
        moved = difference(before.counters, after.counters)
        if moved is not None:
            steps.append(dict(zip(FIELDS, moved, strict=True)) | {"in_flight": after.counters[IN_FLIGHT]})
    return steps
