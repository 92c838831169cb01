"""Which latencies did a disk show, as far as sums of sub-intervals tell?

Each sub-interval's I/Os stand at their mean: an estimate, and labelled so wherever it is shown.
"""

from __future__ import annotations

from .r40 import bucket_of

# The kernel prints whole ms: a sum of 8 is known to an eighth. Less is gathered until there is so much, so that
# latencies far below 1 ms survive.
ENOUGH_MS = 8
US_PER_MS = 1000


class MeanHistogram:
    """A sparse R40 histogram of one direction."""

    __slots__ = ("_counts", "_n", "_sum_ms")

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}
        self._n = self._sum_ms = 0

    def add(self, n: int, sum_ms: int) -> None:
        """Count a sub-interval's I/Os, whose latencies sum to `sum_ms`."""
        if sum_ms < ENOUGH_MS:
            self._n = n = self._n + n
            self._sum_ms = sum_ms = self._sum_ms + sum_ms
            if sum_ms < ENOUGH_MS:
                return
            self._n = self._sum_ms = 0
        bucket = bucket_of(sum_ms * US_PER_MS // n)
        counts = self._counts
        counts[bucket] = counts.get(bucket, 0) + n

    def peek(self) -> dict[int, int]:
        """What is counted so far, what is still gathered included."""
        counts = dict(self._counts)
        if self._n:
            # A sum printed as 0 ms lies between 0 and 1: its middle is the best guess.
            us = self._sum_ms * US_PER_MS // self._n if self._sum_ms else US_PER_MS // 2 // self._n
            bucket = bucket_of(us)
            counts[bucket] = counts.get(bucket, 0) + self._n
        return counts

    def take(self) -> dict[int, int]:
        """What is counted so far; begins anew."""
        counts = self.peek()
        self._counts = {}
        self._n = self._sum_ms = 0
        return counts
