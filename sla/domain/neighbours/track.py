"""When does a window open and when is it over? Slot after slot, from the pool's signal alone."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite

from sla.domain.neighbours.rules import LONGEST, Thresholds, calm_slots


@dataclass(slots=True)
class Span:
    """A window in Unix seconds, [start, end): `seen` is the end of the slot that opened it, `end` that of the last
    contended slot so far."""

    start: int
    end: int
    seen: int
    open: bool = True


@dataclass(slots=True)
class Tracker:
    """What must be known to go on with the next slot: the last few of them, and the window that is open."""

    step_s: int
    last: list[tuple[int, float]] = field(default_factory=list)
    window: Span | None = None

    def add(self, start: int, value: float, thresholds: Thresholds) -> Span | None:
        """Take the next slot; the window that it opened, kept open or closed."""
        self.last = [one for one in self.last if one[0] > start - LONGEST * self.step_s]
        self.last.append((start, value if isfinite(value) else float("-inf")))
        end = start + self.step_s
        if self.window is not None:
            window = self.window
            # A gap of the record may hide the end of the window: it is over as if the missing slots were calm.
            if start - window.end >= calm_slots(self.step_s) * self.step_s:
                self.window, window.open = None, False
                if value < thresholds.least:
                    return window
            elif value >= thresholds.hot:
                window.end = end
                return window
            elif end - window.end >= calm_slots(self.step_s) * self.step_s:
                self.window, window.open = None, False
                return window
            else:
                return window
        if not self._opens(thresholds):
            return None
        hot = [at for at, one in self.last if one >= thresholds.hot]
        self.window = Span(start=_run_start(hot, self.step_s), end=end, seen=end)
        return self.window

    def _opens(self, thresholds: Thresholds) -> bool:
        newest, value = self.last[-1]
        if value < thresholds.least:
            return False
        for rule, level in zip(thresholds.rules, thresholds.opens, strict=True):
            high = [one for at, one in self.last if at > newest - rule.among * self.step_s and one >= level]
            if len(high) >= rule.count and value >= rule.lasting * max(high):
                return True
        return False


def _run_start(hot: list[int], step_s: int) -> int:
    """Where the contended slots that lead up to now begin; two calm ones between them are a pause."""
    start = hot[-1]
    for at in reversed(hot[:-1]):
        if start - at > 3 * step_s:
            break
        start = at
    return start


def track(starts: list[int], values: list[float], step_s: int, thresholds: Thresholds) -> Iterator[Span]:
    """All windows of a record, the last one possibly still open."""
    tracker, current = Tracker(step_s), None
    for start, value in zip(starts, values, strict=True):
        window = tracker.add(start, value, thresholds)
        if current is not None and window is not current:
            current.open = False
            yield current
        current = window
    if current is not None:
        yield current
