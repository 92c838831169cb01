"""The pool's signal is what most of its disks feel."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sla.domain.neighbours.profile import habit_at, hour_of_day, hour_of_week
from sla.domain.neighbours.signal import pool_signal, weights


def test_one_slow_disk_is_not_a_slow_pool_and_three_of_four_are() -> None:
    even = np.ones((4, 2))
    left = np.array([[2.0, 2.0], [0.0, 2.0], [0.1, 2.0], [-0.1, 0.0]])
    assert np.allclose(pool_signal(left, even), [0.05, 2.0])


def test_unknown_disks_have_no_vote() -> None:
    left = np.array([[np.nan, np.nan], [0.5, np.nan], [0.7, np.nan]])
    signal = pool_signal(left, np.ones((3, 2)))
    assert signal[0] == 0.6
    assert np.isnan(signal[1])


@given(st.integers(1, 9), st.integers(0, 10**6), st.floats(-3, 3))
def test_the_signal_lies_among_the_residuals_and_moves_with_all_of_them(disks: int, seed: int, by: float) -> None:
    rng = np.random.default_rng(seed)
    left, weight = rng.normal(0, 1, (disks, 5)), rng.uniform(0.1, 4, (disks, 5))
    signal = pool_signal(left, weight)
    assert np.all((signal >= left.min(axis=0)) & (signal <= left.max(axis=0)))
    assert np.allclose(pool_signal(left + by, weight), signal + by)


def test_no_disk_is_so_regular_that_it_decides_alone() -> None:
    heavy = weights(np.array([0.02, 0.5, 0.5, 0.5, 0.5]), np.full((5, 1), 10_000.0))[:, 0]
    assert heavy[0] <= 4.01 * heavy[1]


def test_an_hour_that_is_slow_every_day_is_a_habit_and_one_day_is_none() -> None:
    starts = np.arange(0, 5 * 86_400, 60, dtype=np.int64)
    daily = np.where(starts % 86_400 // 3_600 < 12, 0.4, 0.0)
    every = np.ones(len(starts), bool)
    habit = hour_of_day(daily, starts, every)
    assert habit[6] > 0.2
    assert habit[18] == 0
    assert np.abs(habit_at(habit, np.array([6 * 3_600 + 1_800])) - habit[6]) < 1e-9
    assert np.all(hour_of_day(daily[:1_440], starts[:1_440], every[:1_440]) == 0)


def test_the_week_begins_on_monday_at_midnight_utc() -> None:
    monday = 1_789_948_800  # 21 September 2026
    view = hour_of_week(np.array([np.log(2.0), np.nan]), np.array([monday, monday + 3_600]))
    assert abs(view[0] - 2) < 1e-9
    assert np.isnan(view[1:]).all()
