"""When does something that comes again come?"""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sla.domain.recurrence import Recurrence, RuleError, checked_length, parsed

TWO = datetime(2026, 1, 4, 2, 0)  # noqa: DTZ001  a wall clock has no zone
SUNDAYS = Recurrence("FREQ=WEEKLY;BYDAY=SU", TWO, timedelta(hours=2), "Europe/Prague")


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type, misc]


def between(recurrence: Recurrence, start: datetime, end: datetime) -> list[tuple[datetime, datetime]]:
    return list(recurrence.occurrences(start, end))


def test_sundays_from_two_to_four_in_prague_follow_the_clock_there() -> None:
    # Winter is UTC+1, summer UTC+2.
    assert between(SUNDAYS, utc(2026, 1, 5), utc(2026, 1, 19)) == [
        (utc(2026, 1, 11, 1), utc(2026, 1, 11, 3)),
        (utc(2026, 1, 18, 1), utc(2026, 1, 18, 3)),
    ]
    assert between(SUNDAYS, utc(2026, 7, 1), utc(2026, 7, 6)) == [(utc(2026, 7, 5, 0), utc(2026, 7, 5, 2))]


def test_in_the_night_of_the_leap_two_to_four_lasts_an_hour() -> None:
    # On 29 March 2026 the clock goes from two to three: 01:00 UTC is three o'clock.
    assert between(SUNDAYS, utc(2026, 3, 28), utc(2026, 3, 30)) == [(utc(2026, 3, 29, 1), utc(2026, 3, 29, 2))]


def test_in_the_night_that_has_two_twice_it_lasts_until_four_all_the_same() -> None:
    # On 25 October 2026 the hour from two to three comes twice: 00:00 UTC is the first two o'clock, 03:00 UTC is four.
    assert between(SUNDAYS, utc(2026, 10, 24), utc(2026, 10, 26)) == [(utc(2026, 10, 25, 0), utc(2026, 10, 25, 3))]


def test_a_start_that_the_clock_leaps_over_is_moved_on_and_never_ends_before_it_begins() -> None:
    half_past = Recurrence("FREQ=DAILY", datetime(2026, 3, 1, 2, 30), timedelta(minutes=30), "Europe/Prague")  # noqa: DTZ001
    ((opens, closes),) = between(half_past, utc(2026, 3, 29), utc(2026, 3, 30))
    assert opens == utc(2026, 3, 29, 1, 30)
    assert closes > opens


def test_the_last_friday_of_each_month_and_an_end() -> None:
    rule = Recurrence("FREQ=MONTHLY;BYDAY=-1FR;COUNT=3", TWO, timedelta(hours=1), "UTC")
    assert [opens.day for opens, _ in between(rule, utc(2026, 1, 1), utc(2027, 1, 1))] == [30, 27, 27]
    until = Recurrence("FREQ=DAILY;UNTIL=20260106T235959", TWO, timedelta(hours=1), "UTC")
    assert [opens.day for opens, _ in between(until, utc(2026, 1, 1), utc(2027, 1, 1))] == [4, 5, 6]


@pytest.mark.parametrize(
    "rule",
    [
        "",
        "every sunday",
        "FREQ=HOURLY",
        "FREQ=SECONDLY;COUNT=5",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31;COUNT=3",
        "FREQ=DAILY;UNTIL=20260106T000000Z",
        "FREQ=DAILY\nEXDATE:20260104T020000",
        "DTSTART:20260101T000000",
        "FREQ=WEEKLY;BYDAY=XX",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;" + "BYHOUR=1;" * 100,
    ],
)
def test_a_rule_that_cannot_be_is_refused_at_once(rule: str) -> None:
    with pytest.raises(RuleError):
        parsed(rule, TWO)


def test_odd_zones_and_lengths_are_refused() -> None:
    with pytest.raises(RuleError, match="Mars"):
        between(Recurrence("FREQ=DAILY", TWO, timedelta(hours=1), "Mars/Olympus"), utc(2026, 1, 1), utc(2026, 2, 1))
    for odd in (timedelta(0), timedelta(days=8), timedelta(seconds=-5)):
        with pytest.raises(RuleError):
            checked_length(odd)


@given(
    st.sampled_from(["Europe/Prague", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"]),
    st.integers(0, 23),
    st.sampled_from([0, 15, 30, 45]),
    st.integers(1, 300),
    st.sampled_from(["FREQ=DAILY", "FREQ=WEEKLY;BYDAY=SU,WE", "FREQ=MONTHLY;BYMONTHDAY=25,29"]),
)
def test_each_begins_at_its_hour_lasts_a_while_and_comes_in_order(
    zone: str, hour: int, minute: int, minutes: int, rule: str
) -> None:
    begin = datetime(2026, 1, 1, hour, minute)  # noqa: DTZ001
    found = between(Recurrence(rule, begin, timedelta(minutes=minutes), zone), utc(2026, 1, 1), utc(2026, 12, 1))
    assert found
    assert all(closes > opens for opens, closes in found)
    assert all(later > earlier for (earlier, _), (later, _) in pairwise(found))
    local = [opens.astimezone(ZoneInfo(zone)) for opens, _ in found]
    moved = [at for at in local if (at.hour, at.minute) != (hour, minute)]
    assert len(moved) <= 1, "only what the clock leaps over once a year"


@given(st.integers(0, 400), st.integers(1, 60))
def test_asked_in_pieces_it_says_the_same(day: int, days: int) -> None:
    start = utc(2026, 1, 1)
    cut, end = start + timedelta(days=day), start + timedelta(days=day + days)
    assert between(SUNDAYS, start, cut) + between(SUNDAYS, cut, end) == between(SUNDAYS, start, end)
