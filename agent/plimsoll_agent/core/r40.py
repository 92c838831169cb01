"""In which latency bucket does an I/O fall, and what do sparse histograms of such buckets say?

Preferred numbers R40 of ISO 3, per decade from 10 µs to 100 s: 280 buckets 6 % wide; 1, 2, 5, 10, 15, 20, 25, 50
and 100 ms are edges. Bucket b holds [EDGES_US[b], EDGES_US[b + 1]); -1 is below 10 µs, 280 is 100 s and above.
"""

from __future__ import annotations

from bisect import bisect_right

TYPE_CHECKING = False  # `typing` costs the sampler 1.6 MB of resident memory: only checkers load it
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# fmt: off
_DECADE = (
    100, 106, 112, 118, 125, 132, 140, 150, 160, 170, 180, 190, 200, 212, 224, 236, 250, 265, 280, 300,
    315, 335, 355, 375, 400, 425, 450, 475, 500, 530, 560, 600, 630, 670, 710, 750, 800, 850, 900, 950,
)
# fmt: on
# 10.6 µs is no integer: edges are kept in hundredths of the decade and rounded up, so that a whole µs falls
# into the same bucket as with the exact edge (us >= 10.6 is us >= 11).
EDGES_US: tuple[int, ...] = (
    *(-(-step * 10**decade // 10) for decade in range(7) for step in _DECADE),
    100_000_000,
)
# The same without rounding, for who counts in ns.
EDGES_NS: tuple[int, ...] = (*(step * 10**decade * 100 for decade in range(7) for step in _DECADE), 100_000_000_000)
BELOW = -1
BUCKETS = len(EDGES_US) - 1  # 280
ABOVE = BUCKETS


def bucket_of(us: int) -> int:
    """Which bucket holds a latency of `us` microseconds? -1 below 10 µs, 280 from 100 s on."""
    return bisect_right(EDGES_US, us) - 1


def merge(histograms: Iterable[Mapping[int, int]]) -> dict[int, int]:
    """What is the histogram of everything in several? Counts add; means and percentiles never do."""
    total: dict[int, int] = {}
    for histogram in histograms:
        for bucket, count in histogram.items():
            total[bucket] = total.get(bucket, 0) + count
    return total


def percentile_us(histogram: Mapping[int, int], ratio: float) -> int | None:
    """Below which latency (µs, upper edge of its bucket) lies the share `ratio` (0..1] of the I/Os?

    None for an empty histogram, and where the answer lies in the open bucket above 100 s.
    """
    total = sum(histogram.values())
    if total == 0:
        return None
    seen = 0
    for bucket in sorted(histogram):
        seen += histogram[bucket]
        if seen >= ratio * total:
            return EDGES_US[bucket + 1] if bucket < BUCKETS else None
    return None


def slow_between(histogram: Mapping[int, int], threshold_us: int) -> tuple[int, int]:
    """How many I/Os took `threshold_us` or longer: at least, at most? Equal where it is an edge.

    The count of the bucket that the threshold cuts is in the second figure only.
    """
    low = high = 0
    for bucket, count in histogram.items():
        if bucket >= 0 and EDGES_US[bucket] >= threshold_us:
            low += count
        if bucket >= BUCKETS or EDGES_US[bucket + 1] > threshold_us:
            high += count
    return low, high
