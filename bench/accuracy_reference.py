"""How wide is [low, high] by the plain rules of design semantics §3, each sub-interval by itself?

What the product's bounds are measured against: sums and one age for all, in_flight at the samples of one threshold,
one running maximum of what is overdue. Nothing is chained from sample to sample.
"""

from __future__ import annotations

from math import ceil, floor, inf

from bench.lab import NS_PER_MS, NS_PER_S, Run, Sample

DIRECTIONS = ((0, 3), (4, 7))  # I/Os and summed ms among the counters
IN_FLIGHT = 8


def width(run: Run, cadence_ms: int, threshold_ms: int) -> float:
    """The width of [low, high] of a whole run, as a share of its I/Os; seconds add."""
    samples = run.at_cadence(cadence_ms)
    trusted = run.rule == "accounted"
    ios = low = high = 0
    second_low = most_due = overdue = 0
    second_end = samples[0].before_ns + NS_PER_S
    for place in range(1, len(samples)):
        before, now = samples[place - 1], samples[place]
        level = _figure(now, IN_FLIGHT)
        age_ms = _oldest_ms(samples, place) if trusted else inf
        step_high = 0
        for count, time in DIRECTIONS:
            n = _figure(now, count) - _figure(before, count)
            sum_ms = _figure(now, time) - _figure(before, time)
            ios += n
            step_high += min(n, ceil((sum_ms + 1) / threshold_ms) - 1)
            second_low += least(n, sum_ms, threshold_ms, age_ms)
        if trusted:
            step_high = min(step_high, _held(samples, place, threshold_ms))
            second_low = max(second_low, most_due - level)
            overdue = _overdue(samples, place, threshold_ms)
            most_due = max(most_due, second_low + overdue)
        high += step_high
        if now.before_ns >= second_end or place == len(samples) - 1:
            second_end = max(second_end + NS_PER_S, now.before_ns)
            low += second_low
            second_low, most_due = 0, overdue
    return (high - low) / ios


def least(n: int, sum_ms: int, threshold_ms: int, age_ms: float) -> int:
    """At least how many of `n` I/Os, none older than `age_ms`, reached the threshold?"""
    over = sum_ms - 1 - n * threshold_ms
    if not n or over < 0:
        return 0
    return min(n, floor(over / (age_ms - threshold_ms)) + 1) if age_ms > threshold_ms else n


def _figure(sample: Sample, field: int) -> int:
    return sample.counters[field] or 0


def _oldest_ms(samples: list[Sample], place: int) -> float:
    """How old can an I/O be that completes here: since when was the disk never seen empty?"""
    for earlier in reversed(samples[:place]):
        if not _figure(earlier, IN_FLIGHT):
            return (samples[place].after_ns - earlier.before_ns) / NS_PER_MS
    return inf


def _held(samples: list[Sample], place: int, threshold_ms: int) -> float:
    """The least in flight at samples up to one threshold before; no such sample, no cap."""
    since = samples[place].after_ns - threshold_ms * NS_PER_MS
    held = inf
    for earlier in reversed(samples[:place]):
        if earlier.before_ns < since:
            break
        held = min(held, _figure(earlier, IN_FLIGHT))
    return held


def _overdue(samples: list[Sample], place: int, threshold_ms: int) -> int:
    """How many of those in flight one threshold ago cannot have completed since?"""
    now = samples[place]
    until = now.before_ns - threshold_ms * NS_PER_MS
    waiting = _figure(now, IN_FLIGHT)
    for earlier in reversed(samples[:place]):
        if earlier.after_ns <= until:
            since = sum(_figure(now, count) - _figure(earlier, count) for count, _ in DIRECTIONS)
            return max(0, min(waiting, _figure(earlier, IN_FLIGHT) - since))
        waiting = min(waiting, _figure(earlier, IN_FLIGHT))
    return 0
