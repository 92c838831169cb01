"""Over, back again, and said again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sla.domain.incidents.calm import comes_back, flapping, hold_s, is_over, reminder_due
from sla.domain.incidents.words import Severity, Status

NOW = 1_000_000.0


def test_the_first_time_the_rules_own_calm_is_enough() -> None:
    assert is_over(NOW, 0, NOW)
    assert not is_over(None, 0, NOW)


def test_what_came_back_has_to_be_quiet_for_longer_each_time_up_to_an_hour() -> None:
    assert [hold_s(times) for times in range(6)] == [0, 600, 1_800, 3_600, 3_600, 3_600]
    assert not is_over(NOW - 599, 1, NOW)
    assert is_over(NOW - 600, 1, NOW)


def test_it_flaps_from_its_second_return() -> None:
    assert [flapping(times) for times in range(4)] == [False, False, True, True]


def test_half_an_hour_later_it_is_a_new_incident() -> None:
    assert comes_back(NOW - 1_799, NOW)
    assert not comes_back(NOW - 1_800, NOW)


def due(state: Status, severity: Severity, age: float, *, muted: bool = False, told: bool = True) -> bool:
    return reminder_due(
        state=state,
        severity=severity,
        muted=muted,
        announced_at=NOW - age if told else None,
        touched_at=NOW - age,
        now=NOW,
    )


@pytest.mark.parametrize(
    ("state", "severity", "after"),
    [
        (Status.OPEN, Severity.PAGE, 1_800),
        (Status.OPEN, Severity.TICKET, 86_400),
        (Status.ACKNOWLEDGED, Severity.PAGE, 14_400),
        (Status.ACKNOWLEDGED, Severity.TICKET, 259_200),
    ],
)
def test_reminders_come_when_nothing_was_done_for_too_long(state: Status, severity: Severity, after: float) -> None:
    assert not due(state, severity, after - 1)
    assert due(state, severity, after)
    assert not due(state, severity, after, muted=True)


def test_what_is_only_information_or_over_is_never_said_again() -> None:
    assert not due(Status.OPEN, Severity.INFO, 1e9)
    assert not due(Status.RESOLVED, Severity.PAGE, 1e9)


def test_what_a_silence_kept_back_is_said_as_soon_as_it_ends() -> None:
    assert not due(Status.OPEN, Severity.PAGE, 10, muted=True, told=False)
    assert due(Status.OPEN, Severity.PAGE, 10, told=False)


@given(st.lists(st.tuples(st.floats(1, 2_000), st.floats(1, 2_000)), min_size=1, max_size=50))
def test_a_disk_that_comes_and_goes_is_told_of_four_times_in_any_hour_at_most(
    swings: list[tuple[float, float]],
) -> None:
    """Bad for a while, good for a while, and so on; a word each time an incident opens or comes back."""
    now, reopened, resolved_at, first = 0.0, 0, None, True
    words: list[float] = []
    for bad_s, good_s in swings:
        if first or resolved_at is not None:
            reopened = reopened + 1 if resolved_at is not None and comes_back(resolved_at, now) else 0
            words.append(now)
            first, resolved_at = False, None
        quiet_at = now + bad_s
        now = quiet_at + good_s
        if is_over(quiet_at, reopened, now):
            resolved_at = quiet_at + hold_s(reopened)
    assert all(sum(start <= word < start + 3_600 for word in words) <= 4 for start in words)
