"""A wall clock that is set, and a machine that slept."""

import pytest

from plimsoll_agent.clock import NS_PER_S, Clock

BEGIN = 1_766_300_000 * NS_PER_S


@pytest.mark.parametrize(
    ("wall_s", "mono_s", "jumped"),
    [
        (1.0, 1.0, False),
        (60.0, 60.0, False),  # a look that comes late is no jump
        (2.9, 1.0, False),  # slewed, or within what semantics §2 allows
        (3.1, 1.0, True),
        (-1.1, 1.0, True),
        (3600.0, 1.0, True),  # asleep: the monotonic clock stood still
    ],
)
def test_two_clocks_that_part_by_over_two_seconds(wall_s, mono_s, jumped):
    clock = Clock()
    assert not clock.jumped(BEGIN, 5)
    assert clock.jumped(BEGIN + int(wall_s * NS_PER_S), 5 + int(mono_s * NS_PER_S)) is jumped


def test_a_jump_is_told_once_and_the_new_time_is_the_right_one_from_then_on():
    clock = Clock()
    told = [
        clock.jumped(BEGIN + hours * 3600 * NS_PER_S + at * NS_PER_S, at * NS_PER_S)
        for at, hours in enumerate([0, 0, -1, -1])
    ]
    assert told == [False, False, True, False]
