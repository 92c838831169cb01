"""What happened between two readings?"""

import pytest

from plimsoll_agent.core.counters import FIELDS, WRAP, difference

ZERO = tuple(0 for _ in FIELDS)


def line(**fields: int | None) -> tuple[int | None, ...]:
    return tuple(fields.get(name, 0) for name in FIELDS)


def test_a_wrap_of_a_time_field_at_49_days_of_summed_time_gives_the_true_difference() -> None:
    before = line(read_ios=10, read_ms=WRAP - 30, queue_ms=WRAP - 1)
    after = line(read_ios=12, read_ms=12, queue_ms=5)
    delta = difference(before, after)
    assert delta is not None
    assert delta[FIELDS.index("read_ms")] == 42
    assert delta[FIELDS.index("queue_ms")] == 6


def test_a_reset_gives_no_interval_and_never_a_huge_or_negative_one() -> None:
    assert difference(line(read_ios=1000, read_ms=5000), line(read_ios=3, read_ms=2)) is None


def test_a_disk_attached_anew_with_more_ios_but_less_time_is_a_reset_and_no_wrap() -> None:
    assert difference(line(read_ios=10, read_ms=4000), line(read_ios=500, read_ms=1000)) is None


def test_ios_that_went_back_are_a_reset_even_from_high_numbers() -> None:
    assert difference(line(write_ios=WRAP - 1), line(write_ios=1)) is None


def test_in_flight_is_a_level_and_may_fall() -> None:
    delta = difference(line(in_flight=9), line(in_flight=2))
    assert delta is not None
    assert delta[8] == 2


def test_a_field_that_an_old_kernel_lacks_is_none_and_not_zero() -> None:
    before, after = line(read_ios=1, flush_ios=None, flush_ms=None), line(read_ios=5, flush_ios=None, flush_ms=None)
    delta = difference(before, after)
    assert delta is not None
    assert delta[0] == 4
    assert delta[15] is None
    assert delta[16] is None


def test_a_line_of_another_length_is_refused_with_its_length() -> None:
    with pytest.raises(ValueError, match="14"):
        difference(ZERO, ZERO[:14])
