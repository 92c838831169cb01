"""At which load does this disk stop answering in time? Latency against load from ordinary traffic (semantics §1, §4).

Each point is what many minutes of about the same load had. Latency rises with load on any queueing system, so the curve
is made monotone (pool adjacent violators, Ayer et al. 1955); where it crosses the threshold is the tipping point.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp, log

# Loads in one bin are within 12 % of each other: fine enough for a knee, coarse enough to hold many minutes.
BINS_PER_E = 9
# A bin of fewer minutes is an accident, not a load.
MIN_MINUTES = 3


@dataclass(frozen=True, slots=True)
class Point:
    """About this load (I/Os a second), how long requests took (ms), over how many minutes."""

    iops: float
    latency_ms: float
    minutes: int


def monotone(points: Sequence[Point]) -> list[Point]:
    """The nearest curve that never falls, by minutes; loads stay as they are. Points come in order of load."""
    blocks: list[tuple[float, int, int]] = []  # latency, minutes, points in it
    for point in points:
        latency, minutes, count = point.latency_ms, point.minutes, 1
        while blocks and blocks[-1][0] > latency:
            before, weight, many = blocks.pop()
            latency = (latency * minutes + before * weight) / (minutes + weight)
            minutes, count = minutes + weight, count + many
        blocks.append((latency, minutes, count))
    levels = [latency for latency, _, count in blocks for _ in range(count)]
    return [Point(p.iops, level, p.minutes) for p, level in zip(points, levels, strict=True)]


def crossing(points: Sequence[Point], threshold_ms: float) -> float | None:
    """The load at which the curve crosses the threshold, between two points by their logarithms.

    None where it never does: the disk was not driven that far. The first load where it is over from the start.
    """
    curve = monotone([point for point in points if point.minutes >= MIN_MINUTES])
    for place, point in enumerate(curve):
        if point.latency_ms < threshold_ms:
            continue
        if place == 0:
            return point.iops
        before = curve[place - 1]
        low, high = log(max(before.latency_ms, 1e-3)), log(point.latency_ms)
        share = (log(threshold_ms) - low) / (high - low) if high > low else 1.0
        return exp(log(before.iops) + share * (log(point.iops) - log(before.iops)))
    return None


def disks_needed(load_iops: float, tipping_iops: float) -> int:
    """How many such disks carry a load in time, if it spreads evenly over them: simple striping arithmetic."""
    if load_iops <= 0 or tipping_iops <= 0:
        raise ValueError(f"load {load_iops} and tipping point {tipping_iops} must be above 0")
    return ceil(load_iops / tipping_iops)
