"""A pool is followed minute by minute: what do the next minutes say, and which windows do they touch?"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, isfinite

import numpy as np

from sla.domain.neighbours.model import Model
from sla.domain.neighbours.own import LONGEST_OWN, apart, own_rule
from sla.domain.neighbours.rules import LONGEST
from sla.domain.neighbours.slots import Floats
from sla.domain.neighbours.track import Span, Tracker
from sla.domain.neighbours.watch import LATELY_S, Watch
from sla.neighbours.figures import STEP_S
from sla.neighbours.store import Before, Measured, Minutes

# What must be known to go on: the drift of the last hours, and the last few minutes of each disk.
HOURS_S, TAIL_S = LATELY_S, LONGEST_OWN * STEP_S


@dataclass(slots=True)
class Touched:
    """A window that the minutes opened, prolonged or closed. disk None: the whole pool; until: end of the last minute
    that was looked at for it."""

    disk: int | None
    span: Span
    until: int


@dataclass(slots=True)
class Followed:
    """New minutes as they are to be stored, and the windows they touch."""

    minutes: Minutes
    touched: list[Touched] = field(default_factory=list)


def unlearnt(new: Measured) -> Followed:
    """Minutes of a pool that is too young to judge: kept to learn from."""
    count = len(new.slots.starts)
    nothing = np.full(count, np.nan)
    slower = np.full((len(new.disks), count), np.nan)
    calm = np.ones(count, np.bool_)
    return Followed(Minutes(new.disks, new.slots, slower, nothing, nothing, np.zeros(count), calm))


def follow(model: Model, new: Measured, before: Before, spans: dict[int | None, Span]) -> Followed:
    """New minutes by a model of their disks, going on from what was stored, with the windows that are open."""
    starts = new.slots.starts.tolist()
    residuals = model.residuals(new.slots)
    signal = model.signal(new.slots, residuals)
    watch = _resumed(model, before, spans.get(None))
    over, drift = np.empty(len(starts)), np.empty(len(starts))
    calm = np.empty(len(starts), np.bool_)
    touched: list[Touched] = []
    for place, start in enumerate(starts):
        step = watch.add(start, float(signal[place]))
        over[place], drift[place], calm[place] = step.left, step.drift, step.calm
        if step.window is not None:
            _touch(touched, None, step.window, start + STEP_S)
    minutes = Minutes(new.disks, new.slots, residuals, signal, over, drift, calm)
    touched += _alone(model, minutes, before, spans)
    return Followed(minutes, [*_ended(minutes, spans, touched, watch), *touched])


def _ended(minutes: Minutes, spans: dict[int | None, Span], touched: list[Touched], watch: Watch) -> list[Touched]:
    """Windows that were open and that nothing goes on with: their disk has left, or the record broke off."""
    same = [one.span for one in touched]
    left = [
        (disk, span)
        for disk, span in spans.items()
        if span is not watch.tracker.window and not any(span is one for one in same)
    ]
    for _, span in left:
        span.open = False
    return [Touched(disk, span, int(minutes.slots.starts[0])) for disk, span in left]


def _touch(touched: list[Touched], disk: int | None, span: Span, until: int) -> None:
    if touched and touched[-1].span is span:
        touched[-1].until = until
    else:
        if touched and touched[-1].disk == disk:
            touched[-1].span.open = False
        touched.append(Touched(disk, span, until))


def _resumed(model: Model, before: Before, span: Span | None) -> Watch:
    watch = Watch(STEP_S, model.thresholds)
    watch.calm.extend(
        (start, value)
        for start, value, calm in zip(before.starts, before.signal, before.calm, strict=True)
        if calm and isfinite(value)
    )
    if before.starts:
        watch.drift, watch.drift_at = before.drift[-1], before.starts[-1]
    if span is not None:
        hot = [
            start
            for start, value in zip(before.starts, before.over, strict=True)
            if start >= span.start and value >= model.thresholds.hot
        ]
        span.end = hot[-1] + STEP_S if hot else span.end
    watch.tracker = _tracker(before.starts[-LONGEST:], before.over[-LONGEST:], span)
    return watch


def _tracker(starts: Sequence[int], values: Sequence[float], span: Span | None) -> Tracker:
    last = [(start, value if isfinite(value) else -inf) for start, value in zip(starts, values, strict=True)]
    return Tracker(STEP_S, last=last, window=span)


def _alone(model: Model, minutes: Minutes, before: Before, spans: dict[int | None, Span]) -> list[Touched]:
    """Windows of single disks; only of those that are far out or have one open."""
    values = _apart(minutes.slower, minutes)
    with np.errstate(invalid="ignore"):
        far = (values >= model.own[:, None]).any(axis=1)
    touched: list[Touched] = []
    for place, disk in enumerate(minutes.disks):
        if not far[place] and disk not in spans:
            continue
        level = float(model.own[place])
        if not np.isfinite(level):
            continue
        touched += _one_alone(disk, level, minutes, values[place], before, spans.get(disk))
    return touched


def _apart(slower: Floats, minutes: Minutes) -> Floats:
    """How much slower than its pool; unknown while the whole pool is contended, for then no disk is slow alone."""
    contended = ~minutes.calm & np.isfinite(minutes.signal)
    return np.where(contended, np.nan, apart(slower, minutes.over))


def _one_alone(
    disk: int, level: float, minutes: Minutes, values: Floats, before: Before, span: Span | None
) -> list[Touched]:
    tail = before.tail
    past = np.full(len(tail.slots.starts), np.nan)
    if disk in tail.disks:
        past = _apart(tail.slower[tail.disks.index(disk)], tail)
    tracker = _tracker(tail.slots.starts.tolist(), past.tolist(), span)
    found: list[Touched] = []
    for start, value in zip(minutes.slots.starts.tolist(), values.tolist(), strict=True):
        window = tracker.add(start, value, own_rule(level))
        if window is not None:
            _touch(found, disk, window, start + STEP_S)
    return found
