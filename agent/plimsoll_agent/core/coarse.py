"""How many of the I/Os of a long step were probably slow, when only their mean is known?

A lognormal law around each step's mean. Its spread is taken from how much the means of neighbouring steps differ,
beyond that from a first guess.
"""

from __future__ import annotations

from math import erfc, log, sqrt

US_PER_MS = 1000
STEPS = 15  # remembered steps
FIRST_GUESS = 0.8**2  # variance of the logarithm …
GUESS_WEIGHT = 3  # … which counts as much as so many differences
LEAST, MOST = 0.3**2, 1.6**2
# The median of a squared bell curve over its variance: a median, because a change of load must not look like spread.
MEDIAN_SQUARE = 0.455


class CoarseModel:
    """What is known of one direction's latencies from long steps."""

    __slots__ = ("_differences", "_last", "_means", "_variances")

    def __init__(self) -> None:
        self._differences: list[float] = []
        self._means: list[float] = []
        self._last: tuple[int, float] | None = None
        self._variances: list[float] = []

    def learn(self, steps: list[tuple[int, int]]) -> None:
        """Take a second's steps (I/Os, summed ms)."""
        self._variances = []
        for n, sum_ms in steps:
            mean = sum_ms / n
            if self._last is not None:
                before, its_mean = self._last
                self._differences = [*self._differences, (mean - its_mean) ** 2 / (1 / n + 1 / before)][-STEPS:]
            self._last = (n, mean)
            if mean:
                self._means = [*self._means, mean][-STEPS:]
            self._variances.append(self._variance())

    def _variance(self) -> float:
        """The variance of the logarithm of single latencies."""
        seen = len(self._differences)
        if seen < 3 or not self._means:
            return FIRST_GUESS
        usual = sorted(self._means)[len(self._means) // 2]
        single = sorted(self._differences)[seen // 2] / MEDIAN_SQUARE
        found = min(max(log(1 + single / (usual * usual)), LEAST), MOST)
        return (FIRST_GUESS * GUESS_WEIGHT + found * seen) / (GUESS_WEIGHT + seen)

    def expected(self, steps: list[tuple[int, int]], threshold_us: int) -> list[float]:
        """Of each step, how many I/Os took the threshold or longer?"""
        threshold = threshold_us / US_PER_MS
        out = []
        for (n, sum_ms), variance in zip(steps, self._variances):
            slow = float(n)
            if sum_ms < n * threshold:
                slow = 0.0
                if sum_ms:
                    middle = log(sum_ms / n) - variance / 2
                    slow = n * 0.5 * erfc((log(threshold) - middle) / sqrt(2 * variance))
            out.append(slow)
        return out
