"""Which span does a URL ask for?"""

import pytest

from sla.web.disk_range import PRESETS, Range, RangeError, parse_moment, parse_range, stamp

NOW = 1_795_266_342.0  # 2026-11-21 13:05:42 UTC
MINUTE = 1_795_266_360


def test_without_words_it_is_the_last_six_hours_up_to_the_running_minute() -> None:
    assert parse_range("", "", NOW) == Range(MINUTE - 21_600, MINUTE, "6h", live=True)


def test_an_end_in_the_past_stands_still_and_one_to_come_is_now() -> None:
    still = parse_range("1h", "2026-11-21T12:00Z", NOW)
    assert (still.end, still.live, still.length_s) == (1_795_262_400, False, 3_600)
    assert parse_range("1h", "2027-01-01T00:00Z", NOW).live


def test_neighbours_share_an_edge() -> None:
    span = parse_range("6h", "2026-11-21T12:00Z", NOW)
    assert span.query() == "range=6h&to=2026-11-21T12:00Z"
    assert span.query(earlier=1) == "range=6h&to=2026-11-21T06:00Z"
    assert parse_range("6h", "2026-11-21T06:00Z", NOW).end == span.start
    assert parse_range("6h", "", NOW).query() == "range=6h"


@pytest.mark.parametrize("name", [*PRESETS, "5m", "37m", "400d", "13d"])
def test_no_line_has_more_points_than_a_screen_and_steps_fit_into_columns(name: str) -> None:
    span = parse_range(name, "", NOW)
    assert span.length_s / span.step_s <= 720
    assert span.length_s / span.cell_s <= 300
    assert span.length_s / span.column_s <= 120
    assert span.column_s % span.step_s == 0


@pytest.mark.parametrize(
    ("name", "to"),
    [("6x", ""), ("h", ""), ("4m", ""), ("401d", ""), ("6h", "noon"), ("6h", "2026-11-21T12:00"), ("6h", "9")],
)
def test_odd_words_are_refused_with_what_they_were(name: str, to: str) -> None:
    with pytest.raises(RangeError, match=to or name):
        parse_range(name, to, NOW)


@pytest.mark.parametrize(
    ("asked", "start", "end", "live"),
    [
        ("now-1d/d", "2026-11-20T00:00Z", "2026-11-21T00:00Z", False),
        ("now-2h/h", "2026-11-21T10:00Z", "2026-11-21T11:00Z", False),
        ("now/d", "2026-11-21T00:00Z", "2026-11-21T12:31Z", True),
        ("now/h", "2026-11-21T12:00Z", "2026-11-21T12:31Z", True),
    ],
)
def test_whole_days_and_hours_are_asked_for_from_now(asked: str, start: str, end: str, live: bool) -> None:
    span = parse_range(asked, "", parse_moment("2026-11-21T12:30:20Z"))
    assert (stamp(span.start), stamp(span.end), span.live) == (start, end, live)


def test_from_a_whole_day_it_goes_on_by_days() -> None:
    span = parse_range("now-1d/d", "", parse_moment("2026-11-21T12:30:20Z"))
    assert span.query(earlier=1) == "range=1d&to=2026-11-20T00:00Z"


@pytest.mark.parametrize("asked", ["now", "now-1d", "now-1m/m", "now-0d/d", "now-1d/w", "then-1d/d"])
def test_what_is_no_whole_span_is_refused(asked: str) -> None:
    with pytest.raises(RangeError, match="now-1d/d"):
        parse_range(asked, "", parse_moment("2026-11-21T12:30:20Z"))
