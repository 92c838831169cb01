"""What happened in a pool over a whole record? Windows, their cause and suspects, disks that are slow alone."""

from dataclasses import dataclass

import numpy as np

from sla.domain.neighbours.cause import Cause, Verdict, pool_cause
from sla.domain.neighbours.model import Model, learn
from sla.domain.neighbours.own import apart, own_load, own_windows
from sla.domain.neighbours.slots import Floats, PoolSlots
from sla.domain.neighbours.suspects import Suspicion, suspicion
from sla.domain.neighbours.track import Span
from sla.domain.neighbours.watch import follow
from sla.domain.neighbours.work import Units, scene, usual_units, work


@dataclass(frozen=True, slots=True)
class Contention:
    """A window of the whole pool. severity: times slower, median of its contended slots."""

    span: Span
    severity: float
    verdict: Verdict
    suspicion: Suspicion


@dataclass(frozen=True, slots=True)
class Alone:
    """A window of one disk, by place."""

    disk: int
    span: Span
    severity: float
    cause: Cause


@dataclass(frozen=True, slots=True)
class Found:
    """All of a record; residuals (D, S) and left (S,) as logarithms."""

    model: Model
    residuals: Floats
    left: Floats
    contentions: list[Contention]
    alone: list[Alone]


def judge(model: Model, slots: PoolSlots, left: Floats, span: Span, units: Units) -> Contention:
    """One window, given what was left of the signal over habit and drift, (S,)."""
    got = scene(slots, units, left, model.thresholds.hot, span.start, span.end)
    hot = got.inside & (got.heat >= model.thresholds.hot)
    severity = float(np.exp(np.median(got.heat[hot if hot.any() else got.inside])))
    suspects = suspicion(got)
    return Contention(span, severity, pool_cause(suspects), suspects)


def detect(slots: PoolSlots, model: Model | None = None, since: int | None = None) -> Found | None:
    """A whole record; with a model learnt before, or from itself. None where it is too short to know what is usual.

    `since`: windows that are over by then (Unix seconds) are left out.
    """
    model = model or learn(slots)
    if model is None:
        return None
    residuals = model.residuals(slots)
    signal = model.signal(slots, residuals)
    watched = follow(slots.starts.tolist(), signal.tolist(), slots.step_s, model.thresholds)
    left, units = np.array(watched.left), usual_units(slots)
    windows = [window for window in watched.windows if since is None or window.end > since]
    return Found(
        model,
        residuals,
        left,
        [judge(model, slots, left, window, units) for window in windows],
        _alone(model, slots, residuals, left, windows),
    )


def _alone(model: Model, slots: PoolSlots, residuals: Floats, left: Floats, windows: list[Span]) -> list[Alone]:
    own, levels = apart(residuals, left), model.own
    asked = work(slots, usual_units(slots))
    found = []
    for disk in range(slots.disks):
        for span in own_windows(slots, own[disk], float(levels[disk])):
            if any(span.start < window.end and window.start < span.end for window in windows):
                continue
            first, last = np.searchsorted(slots.starts, [span.start, span.end])
            inside = own[disk, first:last]
            hot = inside[inside >= 0.6 * levels[disk]]
            severity = float(np.exp(np.median(hot)))
            found.append(Alone(disk, span, severity, own_load(asked[disk], slice(int(first), int(last)))))
    return found
