"""Waits grow, are capped, and are spread."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sla.domain.notices.patience import FIRST_S, LONGEST_S, SERVER_LONGEST_S, SPREAD, server_wait_s, wait_s


def test_the_sixth_try_comes_after_a_greylisters_five_minutes() -> None:
    assert sum(wait_s(failure, 0.0) for failure in range(1, 7)) > 300
    assert sum(wait_s(failure, 0.5) for failure in range(1, 6)) == FIRST_S * 31


@given(failures=st.integers(1, 10_000), chance=st.floats(0, 1, exclude_max=True))
def test_a_wait_is_never_over_the_longest_and_never_nothing(failures: int, chance: float) -> None:
    assert FIRST_S * (1 - SPREAD) <= wait_s(failures, chance) <= LONGEST_S * (1 + SPREAD)
    assert 0 < server_wait_s(failures, chance) <= SERVER_LONGEST_S * (1 + SPREAD)


def test_there_is_no_wait_before_the_first_failure() -> None:
    with pytest.raises(ValueError, match="0 failures"):
        wait_s(0, 0.5)
