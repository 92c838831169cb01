"""A window opens when slots say so, not before, and closes after five calm ones."""

from itertools import pairwise
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sla.domain.neighbours.calibrate import calibrate, noise, order_statistic, thresholds_of
from sla.domain.neighbours.rules import LEAST_SLOWDOWN, SHORT, Thresholds
from sla.domain.neighbours.track import Tracker, track
from sla.domain.neighbours.watch import follow

LEVELS = Thresholds(SHORT, (0.5, 0.7, 0.35, 0.3), hot=0.2)


def windows(values: list[float], step_s: int = 60) -> list[tuple[int, int, int, bool]]:
    starts = [step_s * place for place in range(len(values))]
    return [(one.start, one.end, one.seen, one.open) for one in track(starts, values, step_s, LEVELS)]


def test_two_strong_minutes_open_a_window_and_five_calm_ones_close_it() -> None:
    assert windows([0, 0, 0.6, 0.6, 0.6] + [0.0] * 5) == [(120, 300, 240, False)]


def test_one_minute_alone_is_a_hiccup() -> None:
    assert windows([0, 0, 5.0, 0, 0, 0, 0, 0]) == []


def test_a_hiccup_that_runs_over_the_turn_of_a_minute_is_one_too() -> None:
    assert windows([0, 0, 2.4, 0.7, 0, 0, 0, 0]) == []
    assert windows([0, 0, 2.4, 0.9, 0, 0, 0]) == [(120, 240, 240, True)]


def test_three_of_five_mild_minutes_open_one_too() -> None:
    assert windows([0, 0.35, 0, 0.35, 0.35, 0]) == [(60, 300, 300, True)]


def test_a_spike_every_third_minute_is_one_window() -> None:
    found = windows([0.9, 0, 0] * 6 + [0.0] * 6)
    assert [(start, end) for start, end, _, _ in found] == [(0, 16 * 60)]


def test_a_gap_in_the_record_ends_a_window() -> None:
    starts = [0, 60, 120, 7_200, 7_260, 7_320]
    found = list(track(starts, [0.9] * 6, 60, LEVELS))
    assert [(one.start, one.end) for one in found] == [(0, 180), (7_200, 7_380)]


def test_slots_without_figures_neither_open_nor_prolong() -> None:
    nothing = float("nan")
    assert windows([nothing] * 4) == []
    assert windows([0.6, 0.6, *[nothing] * 6]) == [(0, 120, 120, False)]


@given(st.lists(st.floats(-1, 1), max_size=60))
def test_windows_do_not_overlap_and_each_was_earned(values: list[float]) -> None:
    found = windows(values)
    for start, end, seen, _ in found:
        assert start < seen <= end
        inside = values[start // 60 : end // 60]
        assert sum(value >= LEVELS.least for value in inside) >= 2
    for (_, end, _, _), (start, _, _, _) in pairwise(found):
        assert end <= start


@given(st.lists(st.floats(-1, 1), max_size=60), st.integers(0, 60))
def test_slot_by_slot_is_the_same_as_all_at_once(values: list[float], cut: int) -> None:
    tracker, seen = Tracker(60), []
    for place, value in enumerate(values):
        window = tracker.add(60 * place, value, LEVELS)
        if window is not None and (not seen or seen[-1] is not window):
            seen.append(window)
    assert [(one.start, one.end) for one in seen] == [(start, end) for start, end, _, _ in windows(values)]


@given(st.lists(st.floats(-2, 2), min_size=5, max_size=40), st.sampled_from(SHORT))
def test_the_order_statistic_is_what_its_rule_counts(values: list[float], rule) -> None:
    got = order_statistic(np.array(values), rule.count, rule.among)
    for place in range(len(values)):
        recent = values[max(place - rule.among + 1, 0) : place + 1]
        for level in (-1.0, 0.0, 1.0):
            assert (got[place] >= level) == (sum(value >= level for value in recent) >= rule.count)


def test_thresholds_keep_to_the_effect_gate_and_rise_with_the_noise() -> None:
    rng = np.random.default_rng(2)
    quiet, wild = calibrate(rng.normal(0, 0.01, 5_000), 60), calibrate(rng.normal(0, 0.15, 5_000), 60)
    assert quiet.least == pytest.approx(LEAST_SLOWDOWN)
    assert wild.least > quiet.least


def test_a_wild_past_counts_up_to_the_most_and_noise_in_full() -> None:
    for sd in (0.01, 0.05, 0.1, 0.2, 0.4):
        for tail in (0.0, 0.4, 3.0):
            levels = thresholds_of(SHORT, sd, [tail] * len(SHORT)).opens
            for rule, level in zip(SHORT, levels, strict=True):
                assert level == max(LEAST_SLOWDOWN, rule.deviations * sd, min(tail, rule.most))
                assert level <= rule.most or level == rule.deviations * sd


def test_a_pool_that_overloads_itself_all_day_is_still_seen_slow_for_five_minutes() -> None:
    rng = np.random.default_rng(6)
    past = rng.normal(0, 0.03, 10_080)
    for at in range(200, 10_000, 120):
        past[at : at + 8] = log(2.5)
    levels = calibrate(past, 60)
    assert levels.opens == (log(2.0), log(2.2), log(1.8), log(1.55))
    later = rng.normal(0, 0.03, 600)
    later[300:305] += log(1.7)
    got = follow(range(0, 36_000, 60), later.tolist(), 60, levels)
    assert [(one.start, one.end, one.seen) for one in got.windows] == [(300 * 60, 305 * 60, 304 * 60)]
    assert follow(range(0, 36_000, 60), np.where(later > 0.2, 0.3, later).tolist(), 60, levels).windows == []


def test_four_mild_minutes_in_a_row_open_one_and_three_do_not() -> None:
    assert windows([0, 0.32, 0.32, 0.32, 0, 0.32, 0]) == []
    assert windows([0, 0.32, 0.32, 0.32, 0.32, 0]) == [(60, 300, 300, True)]


def test_a_calm_pool_of_plain_noise_opens_nothing_in_ten_days() -> None:
    rng = np.random.default_rng(4)
    past, later = rng.normal(0, 0.08, 10_080), rng.normal(0, 0.08, 14_400)
    got = follow(range(0, 864_000, 60), later.tolist(), 60, calibrate(past, 60))
    assert got.windows == []


def test_noise_without_a_past_is_taken_to_be_usual() -> None:
    assert noise(np.array([])) == 0.05
    assert 0 < noise(np.array([np.nan, 0.1])) < 0.06


def test_a_slow_drift_is_no_event_and_a_step_on_top_of_it_is() -> None:
    starts = list(range(0, 8 * 3_600, 60))
    drift = [0.25 * at / starts[-1] for at in starts]
    assert follow(starts, drift, 60, Thresholds(SHORT, (0.4, 0.4, 0.2, 0.2), 0.12)).windows == []
    drift[400:410] = [value + 0.5 for value in drift[400:410]]
    found = follow(starts, drift, 60, Thresholds(SHORT, (0.4, 0.4, 0.2, 0.2), 0.12)).windows
    assert [(one.start, one.end) for one in found] == [(400 * 60, 410 * 60)]
