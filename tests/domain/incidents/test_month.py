"""Can the month still be met?"""

from hypothesis import given
from hypothesis import strategies as st

from sla.domain.incidents.month import lost_over, over, period_over


def test_a_bad_first_hour_is_no_lost_month() -> None:
    # An hour of 720 has passed; thrice what it allows is spent: 3/720 of the month's budget.
    assert not over(-2.0, 1 / 720)


def test_more_spent_than_the_whole_month_will_allow_is_over() -> None:
    # Half the month has passed, 2.02 times what it allowed is spent: 1.01 of the month's budget.
    assert over(-1.02, 0.5)
    assert not over(-0.98, 0.5)
    assert not over(None, 0.5)


def test_one_percent_of_the_month_lost_is_over_whatever_the_rest_brings() -> None:
    month_s = 30 * 86_400
    allowed_ms = month_s * 10
    assert not lost_over(allowed_ms, month_s, 10_000)
    assert lost_over(allowed_ms + 1, month_s, 10_000)


def test_proof_is_certain_the_estimate_is_likely() -> None:
    assert period_over(breached=True, left=(-3.0, -2.0), elapsed=0.5, lost=False) is True
    assert period_over(breached=True, left=(-3.0, 0.4), elapsed=0.5, lost=False) is False
    assert period_over(breached=True, left=(-0.2, 0.4), elapsed=0.5, lost=False) is None
    assert period_over(breached=True, left=(None, None), elapsed=0.5, lost=True) is True
    assert period_over(breached=False, left=(-3.0, -2.0), elapsed=1.0, lost=True) is None


@given(st.integers(1, 10**9), st.integers(0, 10**9), st.integers(1, 720), st.integers(0, 720))
def test_at_an_even_load_it_is_over_exactly_when_more_was_slow_than_the_whole_month_allows(
    a_hour: int, slow: int, hours: int, rest: int
) -> None:
    allowed_so_far, allowed = a_hour * hours, a_hour * (hours + rest)
    left, elapsed = 1 - slow / allowed_so_far, hours / (hours + rest)
    if abs(slow / allowed - 1) > 1e-6:
        assert over(left, elapsed) == (slow > allowed)
