"""What does the meter say of one recorded run at one cadence, and what is true?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, pairwise

from bench.lab import NS_PER_S, Run
from plimsoll_agent.core.meter import DiskMeter
from plimsoll_agent.core.terms import Term

THRESHOLDS_MS = (5, 10, 15, 50)
# A disk without a load limit: every I/O is covered, so that the figures are those of all I/Os (design semantics §3).
NO_LIMIT = 1_000_000
WINDOW_NS = NS_PER_S


@dataclass(slots=True)
class Outcome:
    """One run, cadence and threshold: I/Os and slow ones, true and by the meter; windows with the truth outside."""

    run: str
    cadence_ms: int
    threshold_ms: int
    ios: int = 0
    truth: int = 0
    low: int = 0
    estimate: int = 0
    high: int = 0
    windows: int = 0
    missed_windows: int = 0
    slow_minute_ios: int = 0


def measure(run: Run, cadence_ms: int) -> list[Outcome]:
    """The outcome for each threshold. Windows are the seconds in which the meter is closed.

    The truth of a window are the I/Os that the counters show to have completed in it: truth rows are in the order
    of completion, so the counters' own counts say where a window begins and ends.
    """
    terms = [Term(t, t * 1000, t * 1000, NO_LIMIT, NO_LIMIT, 0, 1 << 40) for t in THRESHOLDS_MS]
    meter = DiskMeter(terms, rule=run.rule)
    slow = {t: (_running(run.read_us, t), _running(run.write_us, t)) for t in THRESHOLDS_MS}
    outcomes = {t: Outcome(run.name, cadence_ms, t) for t in THRESHOLDS_MS}
    samples = run.at_cadence(cadence_ms)
    first = samples[0].counters
    closed = (0, 0)
    window_end = samples[0].before_ns + WINDOW_NS
    for sample in samples:
        meter.sample(sample.before_ns, sample.counters, sample.after_ns)
        if sample.before_ns < window_end and sample is not samples[-1]:
            continue
        window_end = max(window_end + WINDOW_NS, sample.before_ns)
        now = ((sample.counters[0] or 0) - (first[0] or 0), (sample.counters[4] or 0) - (first[4] or 0))
        meter.close_second()
        for threshold, outcome in outcomes.items():
            reads, writes = slow[threshold]
            truth = reads[now[0]] - reads[closed[0]] + writes[now[1]] - writes[closed[1]]
            raw = meter.raw(threshold)
            outcome.ios += raw.ios
            outcome.truth += truth
            outcome.low += raw.lo
            outcome.estimate += raw.est
            outcome.high += raw.hi
            outcome.windows += 1
            outcome.missed_windows += not raw.lo <= truth <= raw.hi
        closed = now
    _count_slow_minutes(run, list(outcomes.values()))
    return list(outcomes.values())


def _running(latencies_us: list[int], threshold_ms: int) -> list[int]:
    """How many of the first n I/Os were slow, for each n."""
    return [0, *accumulate(latency >= threshold_ms * 1000 for latency in latencies_us)]


def _count_slow_minutes(run: Run, outcomes: list[Outcome]) -> None:
    """What a chart of one-minute means would call slow: all I/Os of minutes whose mean reaches the threshold."""
    edges = [run.samples[0]]
    for sample in run.samples[1:]:
        if sample.before_ns >= edges[-1].before_ns + 60 * NS_PER_S or sample is run.samples[-1]:
            edges.append(sample)
    for before, after in pairwise(edges):
        step = [(new or 0) - (old or 0) for old, new in zip(before.counters, after.counters, strict=True)]
        ios, sum_ms = step[0] + step[4], step[3] + step[7]
        for outcome in outcomes:
            if ios and sum_ms >= ios * outcome.threshold_ms:
                outcome.slow_minute_ios += ios
