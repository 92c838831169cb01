"""Quiet hours and digests by the clock on the wall, on days of 23, 24 and 25 hours."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sla.domain.notices.moments import Quiet, next_time, quiet_until

BERLIN = ZoneInfo("Europe/Berlin")
NIGHT = Quiet(time(22), time(7))
ZONES = st.sampled_from([UTC, BERLIN, ZoneInfo("America/St_Johns"), ZoneInfo("Australia/Lord_Howe")])
MOMENTS = st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)).map(lambda at: at.replace(tzinfo=UTC))  # noqa: DTZ001
TIMES = st.times().map(lambda at: at.replace(second=0, microsecond=0))


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "until"),
    [
        (utc(2026, 11, 20, 21, 30), utc(2026, 11, 21, 6)),  # 22:30 in Berlin
        (utc(2026, 11, 21, 5, 59), utc(2026, 11, 21, 6)),
        (utc(2026, 11, 21, 6), None),  # half-open: seven o'clock is day
        (utc(2026, 11, 21, 12), None),
        (utc(2026, 3, 28, 22), utc(2026, 3, 29, 5)),  # the night in which an hour is missing
        (utc(2026, 10, 24, 21), utc(2026, 10, 25, 6)),  # and the one in which an hour comes twice
    ],
)
def test_a_night_in_berlin_ends_at_seven_by_its_own_clock(now: datetime, until: datetime | None) -> None:
    assert quiet_until(now, NIGHT, BERLIN) == until


def test_quiet_that_begins_when_it_ends_is_no_quiet() -> None:
    assert quiet_until(utc(2026, 11, 21, 8), Quiet(time(8), time(8)), UTC) is None
    assert quiet_until(utc(2026, 11, 21, 8), None, UTC) is None


def test_a_time_that_comes_twice_is_taken_the_first_time_still_ahead() -> None:
    # 02:30 in Berlin on 25 October 2026 is 00:30 and 01:30 UTC.
    assert next_time(utc(2026, 10, 25, 0, 15), time(2, 30), BERLIN) == utc(2026, 10, 25, 0, 30)
    assert next_time(utc(2026, 10, 25, 0, 45), time(2, 30), BERLIN) == utc(2026, 10, 25, 1, 30)


def test_a_time_that_is_skipped_comes_all_the_same() -> None:
    # 02:30 in Berlin does not exist on 29 March 2026.
    assert next_time(utc(2026, 3, 29, 0, 30), time(2, 30), BERLIN) == utc(2026, 3, 29, 0, 30) + timedelta(hours=1)


@given(now=MOMENTS, wall=TIMES, zone=ZONES)
def test_the_next_time_is_ahead_and_within_a_day_and_an_hour(now: datetime, wall: time, zone: ZoneInfo) -> None:
    found = next_time(now, wall, zone)
    assert now < found <= now + timedelta(hours=25)


@given(now=MOMENTS, start=TIMES, end=TIMES, zone=ZONES)
def test_quiet_ends_and_is_over_then(now: datetime, start: time, end: time, zone: ZoneInfo) -> None:
    quiet = Quiet(start, end)
    until = quiet_until(now, quiet, zone)
    if until is None:
        assert not quiet.holds_at(now.astimezone(zone).time())
    else:
        assert now < until <= now + timedelta(hours=25)
