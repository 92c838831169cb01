"""At which hours is the pool always slower than its disks' own loads explain? The hour of the day, and of the week.

The same load is slower by day, when the others are busy too: that is the pool's habit and no event.
"""

import numpy as np

from sla.domain.neighbours.slots import Bools, Floats, Ints

HOUR_S, DAY_H, WEEK_H = 3_600, 24, 168
# 1 January 1970 was a Thursday; the week's hours count from Monday 00:00 UTC.
MONDAY_H = 96
# An hour of the day is taken together with its neighbours, so that a nightly job of minutes is no habit.
REACH_H = 1
# Days after which a habit is half believed.
HALF_DAYS = 2.0


def hour_of_day(signal: Floats, starts: Ints, usable: Bools) -> Floats:
    """The pool's habit by hour of UTC, (24,): medians over three hours and all days, drawn to 0 where days are few."""
    habit = np.zeros(DAY_H)
    hours, days = starts // HOUR_S % DAY_H, starts // (HOUR_S * DAY_H)
    good = usable & np.isfinite(signal)
    for hour in range(DAY_H):
        distance = np.abs((hours - hour + DAY_H // 2) % DAY_H - DAY_H // 2)
        mine = good & (distance <= REACH_H)
        seen = len(np.unique(days[mine]))
        if seen > 1:
            habit[hour] = np.median(signal[mine]) * (seen - 1) / (seen - 1 + HALF_DAYS)
    return habit


def habit_at(habit: Floats, starts: Ints) -> Floats:
    """(S,): between the middles of the hours it goes straight from one to the next."""
    middle = np.asarray(starts, np.float64) / HOUR_S - 0.5
    left = np.floor(middle)
    share = middle - left
    here = left.astype(np.int64) % DAY_H
    result: Floats = habit[here] * (1 - share) + habit[(here + 1) % DAY_H] * share
    return result


def hour_of_week(signal: Floats, starts: Ints) -> Floats:
    """How many times slower than its loads explain, by hour of the week from Monday 00:00 UTC, (168,); NaN unseen."""
    hours = (starts // HOUR_S - MONDAY_H) % WEEK_H
    good = np.isfinite(signal)
    view = np.full(WEEK_H, np.nan)
    for hour in np.unique(hours[good]):
        view[hour] = float(np.exp(np.median(signal[good & (hours == hour)])))
    return view
