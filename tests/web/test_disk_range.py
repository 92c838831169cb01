"""Which span does a URL ask for?"""

import pytest

from sla.web.disk_range import PRESETS, Range, RangeError, parse_range

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
