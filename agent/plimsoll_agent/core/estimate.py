"""How many of a second's I/Os were probably slow? (design semantics §3, the estimate)

Two kinds of disk hide behind the same sum. In one a few slow I/Os stand among many fast ones: a mixture, whose share
and sizes are learnt by expectation and maximisation, a step a second, with fading memory. In the other all I/Os of
a while are alike: one bell around the sub-interval's mean. Runs of sub-intervals are told apart by the spread of
their means. Steps of a third of a second and more hold too many I/Os for either: there a lognormal law around the
mean with the spread seen from step to step is the best that was found (bench/accuracy.py compares).

Streaming: a second is judged when it ends, from itself and the past. Floating point inside, for this is no proof;
the answers are whole and lie between the bounds.
"""

from __future__ import annotations

from math import erfc, sqrt

from .coarse import CoarseModel
from .mixture import Mixture, Outcome

US_PER_MS = 1000
BLOCK = 20  # sub-intervals that are looked at together: 0.2 s at 10 ms
FEW = 2  # a spread needs more sub-intervals than this
ALIKE = 1.2  # spread of single I/Os over their mean, squared, up to which a run is one bell
RISEN = 5.0  # a run whose median is so many usual means high is a busy time, not a mixture
RISEN_MS = 1.0  # … if it is above the rounding of the counters
# The spread of means holds more than the spread of latencies: load and queue change from one to the next.
OWN_SPREAD = 0.35
LEAST_SPREAD = 0.05
ROUNDING = 1 / 6  # variance of the difference of two figures that are cut to whole ms
COARSE_NS = 300_000_000
SQRT2 = sqrt(2)


class LatencyModel:
    """What is known of one direction's latencies, whatever the thresholds."""

    __slots__ = ("_coarse", "_mixture", "_steps", "_views")

    def __init__(self) -> None:
        self._steps: list[tuple[int, int]] = []
        self._mixture = Mixture()
        self._coarse = CoarseModel()
        self._views: list[float | list[Outcome]] | None = None

    def add(self, n: int, sum_ms: int) -> None:
        """Take one sub-interval in which `n` I/Os completed."""
        self._steps.append((n, sum_ms))

    def forget(self) -> None:
        """Begin a new second."""
        self._steps = []
        self._views = None

    def expected(self, threshold_us: int, caps: list[tuple[int, int]], step_ns: int) -> float:
        """How many of the second's I/Os took the threshold or longer?

        caps: of each sub-interval that was added, the least and the most that can have been slow.
        step_ns: how long a sub-interval is, about.
        """
        if step_ns >= COARSE_NS:
            if self._views is None:
                self._views = []
                self._coarse.learn(self._steps)
            return self._coarse.expected(self._steps, threshold_us, caps)
        if all(least == most for least, most in caps):
            return float(sum(least for least, _ in caps))
        views = self._views
        if views is None:
            views = self._views = self._learn()
        threshold = threshold_us / US_PER_MS
        total = 0.0
        for (n, sum_ms), (least, most), view in zip(self._steps, caps, views):
            if least == most:
                total += least
                continue
            if n == 1:
                # Printed as the threshold itself, it was above or below with equal right.
                slow = 0.5 if sum_ms * US_PER_MS == threshold_us else float(sum_ms * US_PER_MS > threshold_us)
            elif isinstance(view, float):
                slow = n * beyond(threshold, sum_ms / n, view * (1 - 1 / n) + ROUNDING / (n * n))
            else:
                slow = self._mixture.slow(threshold, n, view)
            total += least if slow < least else most if slow > most else slow
        return total

    def _learn(self) -> list[float | list[Outcome]]:
        """For each sub-interval: the spread of its one bell, or what the mixture says of it."""
        steps = self._steps
        views: list[float | list[Outcome]] = []
        mixed: list[tuple[int, int]] = []
        blocks = [steps[at : at + BLOCK] for at in range(0, len(steps), BLOCK)]
        medians = [_median(block) for block in blocks]
        self._mixture.start(min(medians))
        usual = self._mixture.usual_ms
        bells: list[float | None] = []
        for block, median in zip(blocks, medians):
            spread = _bell(block, median, usual)
            bells.append(spread)
            if spread is None:
                mixed += block
        outcomes = self._mixture.learn(mixed) if mixed else {}
        for block, spread in zip(blocks, bells):
            for step in block:
                views.append(outcomes[step] if spread is None else spread)
        return views


def _median(block: list[tuple[int, int]]) -> float:
    """The middle of the sub-intervals' means, each I/O having one vote."""
    means = sorted((sum_ms / n, n) for n, sum_ms in block)
    half = sum(n for n, _ in block) / 2
    for mean, n in means:
        half -= n
        if half <= 0:
            return mean
    return means[-1][0]


def _bell(block: list[tuple[int, int]], median: float, usual: float) -> float | None:
    """The variance of single latencies (ms²) if the block's I/Os are alike, else None."""
    if len(block) <= FEW:
        return None
    ios = sum(n for n, _ in block)
    mean = sum(sum_ms for _, sum_ms in block) / ios
    spread = sum(n * (sum_ms / n - mean) ** 2 for n, sum_ms in block) / (len(block) - 1)
    spread -= ROUNDING * sum(1 / n for n, _ in block) / len(block)
    spread = max(spread, (LEAST_SPREAD * mean) ** 2, 1e-3)
    if spread < ALIKE * mean * mean or (median >= RISEN * usual and median > RISEN_MS):
        return spread * OWN_SPREAD
    return None


def beyond(threshold: float, mean: float, variance: float) -> float:
    """The share of a bell that lies at or above the threshold."""
    return 0.5 * erfc((threshold - mean) / (SQRT2 * sqrt(variance)))


class Whole:
    """Makes whole numbers of a series without losing what lies behind the point."""

    __slots__ = ("_rest",)

    def __init__(self) -> None:
        self._rest = 0.0

    def of(self, value: float, least: int, most: int) -> int:
        """The whole number for `value`, between the bounds; what is cut off is carried into the next."""
        value = min(max(value, least), most)
        whole = min(max(int(value + self._rest + 0.5), least), most)
        self._rest = min(max(self._rest + value - whole, -1.0), 1.0)
        return whole
