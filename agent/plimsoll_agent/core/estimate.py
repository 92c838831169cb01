"""How many of a second's I/Os were probably slow? (design semantics §3, the estimate)

Streaming: a second is judged when it ends, from itself and the seconds before it.
"""

from __future__ import annotations


class Estimate:
    """The estimate of one term and direction, fed with every sub-interval.

    A sub-interval whose mean reaches the threshold counts whole ("mean over"). Where that is no more than a tenth of
    the last seconds, the sum over the usual mean tells how many slow ones of usual slow size it holds.
    """

    __slots__ = ("_kept", "_n", "_over", "_sum_ms", "_threshold_us", "_window")

    def __init__(self, threshold_us: int) -> None:
        self._threshold_us = threshold_us
        self._window: list[tuple[int, int, int]] = []
        self._n = self._sum_ms = self._over = 0

    def step(self, n: int, sum_ms: int) -> None:
        """Take one sub-interval: completions and the sum of their latencies."""
        self._n += n
        self._sum_ms += sum_ms
        if sum_ms * 1000 >= n * self._threshold_us:
            self._over += n

    def close(self) -> int:
        """The estimate of the second that ends now; restarts the counts."""
        over = self._over
        self._n = self._sum_ms = self._over = 0
        return over
