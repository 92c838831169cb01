"""Moments, spans and durations as mails say them."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from sla.notifications.moments import duration, headed, span

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (3_599, "59 min"),
        (3_900, "1 h 05 min"),
        (200_000, "2 d 7 h"),
        (-5, "0 s"),
    ],
)
def test_a_duration_is_cut_never_rounded_up(seconds: int, said: str) -> None:
    assert duration(timedelta(seconds=seconds)) == said


@pytest.mark.parametrize(
    ("start", "end", "said"),
    [
        (
            datetime(2026, 11, 21, 13, 3, tzinfo=UTC),
            datetime(2026, 11, 21, 13, 20, tzinfo=UTC),
            "21 Nov 14:03–14:20 CET",
        ),
        (
            datetime(2026, 11, 21, 22, 50, tzinfo=UTC),
            datetime(2026, 11, 21, 23, 10, tzinfo=UTC),
            "21 Nov 23:50 CET – 22 Nov 00:10 CET",
        ),
        (
            datetime(2026, 10, 25, 0, 30, tzinfo=UTC),
            datetime(2026, 10, 25, 1, 30, tzinfo=UTC),
            "25 Oct 02:30 CEST – 25 Oct 02:30 CET",
        ),
    ],
    ids=["within a day", "over midnight", "over the hour that comes twice"],
)
def test_a_span_names_its_zone_and_both_where_it_changes(start: datetime, end: datetime, said: str) -> None:
    assert span(start, end, BERLIN) == said


def test_a_title_begins_large_unless_it_begins_with_the_name_of_a_disk() -> None:
    assert headed("the agent of web-1 is silent") == "The agent of web-1 is silent"
    assert headed("web-1 / vda is slow") == "web-1 / vda is slow"
