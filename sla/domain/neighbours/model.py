"""What is usual for this pool? Baselines of its disks, its habit by hour, and thresholds, learnt from its past."""

from dataclasses import dataclass
from math import log

import numpy as np

from sla.domain.neighbours.baseline import Baseline, fit_baseline
from sla.domain.neighbours.calibrate import calibrate, noise, thresholds_of
from sla.domain.neighbours.own import apart, own_thresholds
from sla.domain.neighbours.profile import habit_at, hour_of_day
from sla.domain.neighbours.rules import LONG_STEP_S, Thresholds, rules
from sla.domain.neighbours.signal import pool_signal, weights
from sla.domain.neighbours.slots import Bools, Floats, Ints, PoolSlots
from sla.domain.neighbours.track import Span
from sla.domain.neighbours.watch import follow

# An hour of minutes, or three of five-minute slots, before anything is said of a pool.
LEAST_SLOTS = 30
# A window this slow at its median, or this many deviations, is an event also on a first look.
EVENT, LEAST_EVENT, EVENT_DEVIATIONS = log(1.5), log(1.25), 7.0
# What has been slow for longer than a day is how it is now: it becomes part of the past.
FLAGGED_AT_MOST_S = 86_400


@dataclass(frozen=True, slots=True)
class Model:
    """One pool's past: of D disks, in one fixed order. own: (D,) from which a disk alone counts as slow."""

    step_s: int
    baseline: Baseline
    habit: Floats
    thresholds: Thresholds
    own: Floats

    def of(self, places: Ints) -> "Model":
        """The same for these disks, by place; -1 is a disk without a past."""
        own = np.where(places < 0, np.inf, self.own[places])
        return Model(self.step_s, self.baseline.of(places), self.habit, self.thresholds, own)

    def residuals(self, slots: PoolSlots) -> Floats:
        """(D, S), as logarithms."""
        return self.baseline.residuals(slots)

    def signal(self, slots: PoolSlots, residuals: Floats) -> Floats:
        """(S,): the pool's slowdown, its habit taken off, as a logarithm."""
        raw = pool_signal(residuals, weights(self.baseline.scale, slots.ios))
        return raw - habit_at(self.habit, slots.starts)


def learn(slots: PoolSlots) -> Model | None:
    """From the past of a pool; None where it is too short. Events in it are found on a first look and left out of the
    second."""
    if len(slots.starts) < LEAST_SLOTS:
        return None
    usable = np.ones(len(slots.starts), np.bool_)
    model = _first_look(slots, usable)
    usable &= ~flagged(slots.starts, events_of(model, slots))
    if np.count_nonzero(usable) < LEAST_SLOTS:
        return model
    baseline = fit_baseline(slots, usable)
    raw = pool_signal(baseline.residuals(slots), weights(baseline.scale, slots.ios))
    habit = hour_of_day(raw, slots.starts, usable)
    signal = raw - habit_at(habit, slots.starts)
    left = np.array(follow(slots.starts.tolist(), signal.tolist(), slots.step_s, model.thresholds).left)
    own = own_thresholds(apart(baseline.residuals(slots), left)[:, usable], baseline, slots.step_s)
    return Model(slots.step_s, baseline, habit, calibrate(left[usable], slots.step_s), own)


def _first_look(slots: PoolSlots, usable: Bools) -> Model:
    baseline = fit_baseline(slots, usable)
    raw = pool_signal(baseline.residuals(slots), weights(baseline.scale, slots.ios))
    habit = hour_of_day(raw, slots.starts, usable)
    signal = raw - habit_at(habit, slots.starts)
    first = thresholds_of(rules(slots.step_s), noise(signal[usable]))
    return Model(slots.step_s, baseline, habit, first, np.full(slots.disks, np.inf))


def events_of(model: Model, slots: PoolSlots) -> list[Span]:
    """What on a first look was an event. Milder windows belong to how the pool is: its thresholds rise over them."""
    signal = model.signal(slots, model.residuals(slots))
    watched = follow(slots.starts.tolist(), signal.tolist(), slots.step_s, model.thresholds)
    left, starts = np.array(watched.left), slots.starts
    event = min(EVENT, max(LEAST_EVENT, EVENT_DEVIATIONS * noise(left)))
    return [window for window in watched.windows if _stands_out(left, starts, window, event)]


def _stands_out(left: Floats, starts: Ints, window: Span, event: float) -> bool:
    """By the median of its slots; by its largest where slots are long, for an event begins and ends within them."""
    inside = left[(starts >= window.start) & (starts < window.end)]
    long_steps = len(inside) and (window.end - window.start) / len(inside) >= LONG_STEP_S
    return bool((np.nanmax if long_steps else np.nanmedian)(inside) >= event)


def flagged(starts: Ints, windows: list[Span]) -> Bools:
    """Which slots lie in a window, (S,): no part of the past that is learnt from."""
    marked = np.zeros(len(starts), np.bool_)
    for window in windows:
        marked |= (starts >= window.start) & (starts < min(window.end, window.start + FLAGGED_AT_MOST_S))
    return marked
