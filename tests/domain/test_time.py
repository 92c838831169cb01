"""Months with 23 h and 25 h days, coverage, burn rates, the acute rule."""

from datetime import UTC, datetime, timedelta
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sla.domain.burn import RULES, WINDOWS_S, acute_at, burn_rate, fires, firing_rules, refused_because
from sla.domain.coverage import coverage_ppm, excluded_s, judged_from, judged_until
from sla.domain.period import PeriodError, parse_period, period_of


def hours(text: str, zone: str) -> float:
    period = parse_period(text, zone)
    return (period.end - period.start) / timedelta(hours=1)


def test_a_month_in_europe_has_a_23_hour_and_a_25_hour_day() -> None:
    assert hours("2026-03", "Europe/Berlin") == 31 * 24 - 1
    assert hours("2026-10", "Europe/Berlin") == 31 * 24 + 1
    assert hours("2026-11", "Europe/Berlin") == hours("2026-11", "UTC") == 720
    assert parse_period("2026-11", "Asia/Kolkata").start == datetime(2026, 10, 31, 18, 30, tzinfo=UTC)


@given(st.integers(0, 4 * 10**9), st.sampled_from(["UTC", "Europe/Berlin", "Asia/Kolkata"]))
def test_every_moment_lies_in_exactly_one_month(unix_s: int, zone: str) -> None:
    moment = datetime.fromtimestamp(unix_s, UTC)
    period = period_of(moment, zone)
    assert period.start <= moment < period.end
    assert period.next().start == period.end and period.next().previous() == period
    assert parse_period(period.text, zone) == period


@pytest.mark.parametrize("text", ["2026-13", "2026-00", "2026-1", "26-01", "november", "", "2026-11-01", "0001-01"])
def test_what_is_no_month_is_refused_with_its_text(text: str) -> None:
    with pytest.raises(PeriodError, match=text or "''"):
        parse_period(text)


def test_a_period_closes_72_hours_after_its_end() -> None:
    assert parse_period("2026-11").closes_at == datetime(2026, 12, 4, tzinfo=UTC)


def test_coverage_counts_from_the_latest_beginning_and_leaves_maintenance_out() -> None:
    assert judged_from(1000, None, 1500) == 1500 and judged_from(1000, 2000, 1500) == 2000
    assert judged_from(1000, float("-inf"), 900) == 1000 and judged_from(1000, 5, None) is None
    assert judged_until(9_000, 5_000, 4_930, 180) == 4_930 and judged_until(9_000, 5_000, 4_800, 180) == 5_000
    assert judged_until(4_000, 5_000, 4_930, 180) == 4_000
    assert coverage_ppm(900, 0, 1_000) == 900_000 and coverage_ppm(900, 0, 1_000, 100) == 1_000_000
    assert coverage_ppm(5, None, 10) == 0 and coverage_ppm(5, 10, 10) == 0
    # Overlapping windows count once; a minute goes when it begins inside.
    assert excluded_s([(60, 180), (120, 240)], 0, 1_000) == 180
    assert excluded_s([(61, 180)], 0, 1_000) == 60 and excluded_s([(60, 180)], 90, 150) == 60


def windows(slow: int, eligible: int = 100_000) -> dict[int, tuple[int, int]]:
    return dict.fromkeys(WINDOWS_S, (slow, eligible))


def test_burn_rules_fire_at_their_factor_and_clear_at_seven_tenths() -> None:
    fast, *_, trickle = RULES
    # 14.4 x 1 % of 100,000 is 14,400 slow I/Os.
    assert fires(fast, windows(14_400), 990_000) and not fires(fast, windows(14_399), 990_000)
    assert fires(fast, windows(10_080), 990_000, firing=True)
    assert not fires(fast, windows(10_079), 990_000, firing=True)
    assert [rule.name for rule in firing_rules(windows(3_000), 990_000, frozenset())] == ["slow", "trickle"]
    assert not fires(trickle, windows(9, 900), 990_000) and not fires(trickle, windows(50, 99), 990_000)
    only_long = {**windows(50_000), fast.short_s: (0, 100_000)}
    assert not fires(fast, only_long, 990_000)


def test_a_rule_that_can_never_fire_is_refused_with_its_reason() -> None:
    assert refused_because(RULES[0], 990_000) is None
    assert "never fire" in (refused_because(RULES[0], 900_000) or "")
    assert not fires(RULES[0], windows(100_000), 900_000)
    assert burn_rate(1, 100, 990_000) == 1 and burn_rate(5, 0, 990_000) is None
    assert burn_rate(3, 100, 990_000) == Fraction(3)


def seconds(length: int, **values: int) -> list[np.ndarray]:
    names = ("covered", "slow", "read_over", "write_over", "lost")
    return [np.full(length, values.get(name, 0), np.int64) for name in names]


def test_the_acute_rule_needs_half_slow_with_a_mean_over_the_threshold() -> None:
    assert acute_at(*seconds(60, covered=10, slow=5, write_over=1)) == 59
    assert acute_at(*seconds(60, covered=10, slow=4, write_over=1)) is None
    assert acute_at(*seconds(60, covered=10, slow=10, write_over=-1)) is None
    assert acute_at(*seconds(60, lost=500)) == 59 and acute_at(*seconds(60, lost=499)) is None
    # A bad minute that crosses two slots, then calm: it last held while half of the 60 s behind were bad.
    bad, calm = seconds(60, covered=10, slow=10, read_over=1), seconds(60, covered=10)
    lines = [np.concatenate(pair) for pair in zip(bad, calm, strict=True)]
    assert acute_at(*lines) == 89
