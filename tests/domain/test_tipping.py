"""Latency against load: the knee where it crosses the threshold, and how many disks carry a load."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sla.domain.tipping import Point, crossing, disks_needed, monotone

points = st.lists(
    st.builds(Point, st.floats(1, 1e5), st.floats(0.01, 1e4), st.integers(3, 1000)), min_size=1, max_size=30
).map(lambda listed: sorted(listed, key=lambda point: point.iops))


def test_the_knee_of_a_queueing_disk_is_found_between_its_points() -> None:
    """M/M/1: T = s/(1 - load/capacity); s = 1 ms, capacity 1000 a second, so 15 ms is reached at 933."""
    curve = [Point(load, 1 / (1 - load / 1000), 10) for load in range(100, 1000, 25)]
    found = crossing(curve, 15)
    assert found is not None and 925 < found < 950


def test_a_disk_that_was_never_driven_that_far_has_no_knee() -> None:
    assert crossing([Point(100, 1, 10), Point(500, 2, 10)], 15) is None
    assert crossing([], 15) is None


def test_a_disk_that_is_slow_at_any_load_tips_at_its_lowest() -> None:
    assert crossing([Point(5, 40, 10), Point(100, 60, 10)], 15) == 5


def test_a_single_slow_minute_is_no_knee() -> None:
    curve = [Point(100, 1, 500), Point(200, 90, 1), Point(400, 2, 500)]
    assert crossing(curve, 15) is None


@given(points)
def test_the_curve_never_falls_and_keeps_its_weighted_mean(listed: list[Point]) -> None:
    curve = monotone(listed)
    assert all(a.latency_ms <= b.latency_ms * (1 + 1e-9) for a, b in pairwise(curve))
    before = sum(p.latency_ms * p.minutes for p in listed)
    assert sum(p.latency_ms * p.minutes for p in curve) == pytest.approx(before)


@given(points, st.floats(0.1, 1e3))
def test_the_knee_lies_within_the_loads_that_were_seen(listed: list[Point], threshold_ms: float) -> None:
    found = crossing(listed, threshold_ms)
    assert found is None or listed[0].iops * 0.999 <= found <= listed[-1].iops * 1.001


@given(st.floats(1, 1e6), st.floats(1, 1e5))
def test_so_many_disks_carry_the_load_and_one_fewer_would_not(load: float, knee: float) -> None:
    disks = disks_needed(load, knee)
    assert load / disks <= knee * (1 + 1e-9)
    assert disks == 1 or load / (disks - 1) > knee * (1 - 1e-9)
