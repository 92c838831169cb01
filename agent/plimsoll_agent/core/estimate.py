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

from .calm import QUEUED
from .coarse import CoarseModel
from .mixture import Mixture, Outcome

Cap = tuple[int, int, int]  # at least, at most so many slow; the sub-interval's place in its second

US_PER_MS = 1000
NS_PER_MS = 1_000_000
BLOCK = 20  # sub-intervals that are looked at together: 0.2 s at 10 ms
FEW = 2  # a spread needs more sub-intervals than this
ALIKE = 1.2  # spread of single I/Os over their mean, squared, up to which a run is one bell
RISEN = 5.0  # a run whose median is so many usual means high is a busy time, not a mixture
RISEN_MS = 1.0  # … if it is above the rounding of the counters
# The spread of means holds more than the spread of latencies: load and queue change from one to the next.
OWN_SPREAD = 0.35
LEAST_SPREAD = 0.05
QUEUE_IOS = 4  # fewer I/Os make no queue
QUEUE_EXCESS = 13  # tenths
SHORT_NS = 15_000_000
QUEUE_SPREAD = 0.3  # spread over mean of I/Os that left one queue together
ROUNDING = 1 / 6  # variance of the difference of two figures that are cut to whole ms
COARSE_NS = 300_000_000
SQRT2 = sqrt(2)


class LatencyModel:
    """What is known of one direction's latencies, whatever the thresholds."""

    __slots__ = ("_alike", "_coarse", "_mixture", "_views", "steps")

    def __init__(self) -> None:
        self.steps: list[tuple[int, int]] = []
        self._alike: list[bool] = []
        self._mixture = Mixture()
        self._coarse = CoarseModel()
        self._views: list[float | list[Outcome]] | None = None

    def add(self, n: int, sum_ms: int, held_ns: int, lasted_ns: int) -> None:
        """Take one sub-interval in which `n` I/Os completed; held_ns: the integral of in_flight over it."""
        self.steps.append((n, sum_ms))
        # In a steady queue as much time is waited in a sub-interval as those that leave it have waited: they are
        # alike. One slow I/O brings the wait of several sub-intervals at once. A queue that came and went between two
        # samples shows in neither: the usual time of each I/O is allowed for it, where the sub-interval is so short
        # that a slow one still stands out.
        if lasted_ns <= SHORT_NS:
            held_ns += int(n * self._mixture.usual_ms * (10 * NS_PER_MS / QUEUE_EXCESS))
        self._alike.append(n >= QUEUE_IOS and sum_ms * NS_PER_MS * 10 <= held_ns * QUEUE_EXCESS)

    def forget(self) -> None:
        """Begin a new second."""
        self.steps = []
        self._alike = []
        self._views = None

    def expected(self, threshold_us: int, caps: list[Cap], step_ns: int, levels: list[int]) -> float:
        """How many of the second's I/Os took the threshold or longer?

        caps: one for each sub-interval that was added. step_ns: how long a sub-interval is, about.
        levels: QUEUED where excess I/Os waited; the wait of these says nothing of the disk's own latencies.
        """
        steps = self.steps
        if not steps:
            return 0.0
        if step_ns >= COARSE_NS:
            if self._views is None:
                self._views = []
                self._coarse.learn(steps)
            shares = self._coarse.expected(steps, threshold_us)
        elif all(least == most for least, most, _ in caps):
            shares = []
        else:
            if self._views is None:
                self._views = self._learn([levels[place] == QUEUED for _, _, place in caps])
            shares = self._fine(threshold_us, self._views)
        total = 0.0
        if not shares:
            return total + sum(least for least, _, _ in caps)
        for (least, most, _), share in zip(caps, shares):
            total += least if share < least else most if share > most else share
        return total

    def _fine(self, threshold_us: int, views: list[float | list[Outcome]]) -> list[float]:
        """Of each sub-interval, the number of slow ones that is to be expected."""
        threshold = threshold_us / US_PER_MS
        out = []
        for (n, sum_ms), view in zip(self.steps, views):
            if n == 1:
                # Printed as the threshold itself, it was above or below with equal right.
                out.append(0.5 if sum_ms * US_PER_MS == threshold_us else float(sum_ms * US_PER_MS > threshold_us))
            elif isinstance(view, float):
                out.append(n * beyond(threshold, sum_ms / n, view * (1 - 1 / n) + ROUNDING / (n * n)))
            else:
                out.append(self._mixture.slow(threshold, n, view))
        return out

    def _learn(self, queued: list[bool]) -> list[float | list[Outcome]]:
        """For each sub-interval: the spread of its one bell, or what the mixture says of it."""
        steps = self.steps
        own = [step for step, waited in zip(steps, queued) if not waited]
        alike = [one for one, waited in zip(self._alike, queued) if not waited]
        verdicts: list[float | None] = []
        mixed: list[tuple[int, int]] = []
        if own:
            blocks = [own[at : at + BLOCK] for at in range(0, len(own), BLOCK)]
            medians = [_median(block) for block in blocks]
            self._mixture.start(min(medians))
            usual = self._mixture.usual_ms
            for block, median in zip(blocks, medians):
                spread = _bell(block, median, usual)
                verdicts += [spread] * len(block)
                if spread is None:
                    start = len(verdicts) - len(block)
                    for place, (n, sum_ms) in enumerate(block, start):
                        if alike[place]:
                            verdicts[place] = (QUEUE_SPREAD * sum_ms / n) ** 2
                        else:
                            mixed.append((n, sum_ms))
        outcomes = self._mixture.learn(mixed) if mixed else {}
        views: list[float | list[Outcome]] = []
        place = 0
        for step, waited in zip(steps, queued):
            if waited:
                views.append((QUEUE_SPREAD * step[1] / step[0]) ** 2)
                continue
            verdict = verdicts[place]
            views.append(outcomes[step] if verdict is None else verdict)
            place += 1
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
