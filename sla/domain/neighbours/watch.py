"""Is the pool contended in this slot? Its signal over its habit and over how it was in the last calm hours."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite, log

import numpy as np

from sla.domain.neighbours.rules import Thresholds
from sla.domain.neighbours.track import Span, Tracker

# How the pool was lately: loads drift over hours, events last minutes.
LATELY_S = 3 * 3_600
# The drift is worked out anew so often; it moves slowly.
EVERY_S = 600
HALF_SLOTS = 10.0
# A drift of more than that is no drift.
MOST_DRIFT = log(1.3)


@dataclass(frozen=True, slots=True)
class Step:
    """One slot: what is left of the signal over the drift, the window that it opened, belongs to or closed, and whether
    it is calm (it then counts as how the pool was lately)."""

    left: float
    drift: float
    window: Span | None
    calm: bool


@dataclass(slots=True)
class Watch:
    """One pool followed slot by slot. To go on from a record: fill `calm`, `drift`, `drift_at` and the tracker."""

    step_s: int
    thresholds: Thresholds
    calm: deque[tuple[int, float]] = field(default_factory=deque)
    drift: float = 0.0
    drift_at: int = 0
    tracker: Tracker = field(init=False)

    def __post_init__(self) -> None:
        self.tracker = Tracker(self.step_s)

    def add(self, start: int, value: float) -> Step:
        """Take the next slot's signal (habit taken off)."""
        while self.calm and self.calm[0][0] <= start - LATELY_S:
            self.calm.popleft()
        if start // EVERY_S != self.drift_at // EVERY_S:
            self.drift = drift_of([one for _, one in self.calm])
        self.drift_at = start
        left = value - self.drift
        window = self.tracker.add(start, left, self.thresholds)
        calm = isfinite(value) and self.tracker.window is None and left < self.thresholds.hot
        if calm:
            self.calm.append((start, value))
        return Step(left, self.drift, window, calm)


def drift_of(calm: Sequence[float]) -> float:
    """The level of the calm slots of the last hours, drawn to 0 where they are few."""
    if not calm:
        return 0.0
    level = float(np.median(calm)) * len(calm) / (len(calm) + HALF_SLOTS)
    return min(max(level, -MOST_DRIFT), MOST_DRIFT)


@dataclass(frozen=True, slots=True)
class Watched:
    """A record followed to its end: what was left of the signal, slot by slot, and the windows."""

    left: list[float]
    windows: list[Span]


def follow(starts: Sequence[int], values: Sequence[float], step_s: int, thresholds: Thresholds) -> Watched:
    """A whole record; the last window may be open still."""
    watch = Watch(step_s, thresholds)
    left: list[float] = []
    windows: list[Span] = []
    for start, value in zip(starts, values, strict=True):
        step = watch.add(start, value)
        left.append(step.left)
        if step.window is not None and (not windows or windows[-1] is not step.window):
            windows.append(step.window)
    for window in windows[:-1]:
        window.open = False
    return Watched(left, windows)
