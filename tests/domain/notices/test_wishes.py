"""Who is told of what, and when: by sentences, and that nothing slips through quiet hours but pages."""

from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sla.domain.incidents.words import Severity
from sla.domain.notices.moments import Quiet
from sla.domain.notices.wishes import Matter, Way, When, Wishes, when_to_tell

BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 11, 21, 11, tzinfo=UTC)
NIGHT_AT = datetime(2026, 11, 21, 1, tzinfo=UTC)
MORNING = datetime(2026, 11, 21, 6, tzinfo=UTC)  # seven in Berlin
USUAL = {Severity.PAGE: Way.NOW, Severity.TICKET: Way.NOW, Severity.INFO: Way.DIGEST}
NIGHT = Quiet(time(22), time(7))


def wishes(**change: object) -> Wishes:
    return Wishes(**{"zone": BERLIN, "ways": USUAL, "quiet": NIGHT, **change})


@pytest.mark.parametrize(
    ("wanted", "matter", "now", "told"),
    [
        (wishes(), Matter(Severity.PAGE), NIGHT_AT, When(NIGHT_AT, False)),
        (wishes(quiet_for_pages=True), Matter(Severity.PAGE), NIGHT_AT, When(MORNING, True)),
        (wishes(), Matter(Severity.TICKET), NIGHT_AT, When(MORNING, True)),
        (wishes(), Matter(Severity.TICKET), NOON, When(NOON, False)),
        (wishes(), Matter(Severity.INFO), NOON, When(datetime(2026, 11, 22, 7, tzinfo=UTC), True)),
        (wishes(digest_at=time(6)), Matter(Severity.INFO), NOON, When(datetime(2026, 11, 22, 6, tzinfo=UTC), True)),
        (wishes(ways={**USUAL, Severity.PAGE: Way.OFF}), Matter(Severity.PAGE), NOON, None),
        (wishes(pools=frozenset({1})), Matter(Severity.PAGE, pools=frozenset({2})), NOON, None),
        (wishes(pools=frozenset({1})), Matter(Severity.PAGE, pools=frozenset({1, 2})), NOON, When(NOON, False)),
        (wishes(customers=frozenset({1})), Matter(Severity.PAGE, customers=frozenset({2})), NOON, None),
        (wishes(pools=frozenset({1})), Matter(Severity.PAGE), NOON, When(NOON, False)),
    ],
    ids=[
        "a page comes at night",
        "unless its reader chose otherwise",
        "a ticket waits for the morning, with what else there is",
        "by day it comes at once",
        "low severity waits for the digest",
        "a digest inside quiet hours waits for their end",
        "what is switched off does not come",
        "another pool's trouble is not told",
        "a trouble that touches one's pool is",
        "nor is another customer's",
        "what is about no pool at all is for everybody",
    ],
)
def test_who_is_told_when(wanted: Wishes, matter: Matter, now: datetime, told: When | None) -> None:
    assert when_to_tell(wanted, matter, now) == told


@given(
    now=st.datetimes(datetime(2024, 1, 1), datetime(2028, 1, 1)).map(lambda at: at.replace(tzinfo=UTC)),  # noqa: DTZ001
    severity=st.sampled_from(Severity),
    ways=st.fixed_dictionaries({one: st.sampled_from(Way) for one in Severity}),
    start=st.times(),
    end=st.times(),
    hold_pages=st.booleans(),
)
def test_nothing_comes_in_quiet_hours_that_was_not_chosen_to(
    now: datetime, severity: Severity, ways: dict[Severity, Way], start: time, end: time, hold_pages: bool
) -> None:
    quiet = Quiet(start.replace(second=0, microsecond=0), end.replace(second=0, microsecond=0))
    told = when_to_tell(wishes(ways=ways, quiet=quiet, quiet_for_pages=hold_pages), Matter(severity), now)
    if ways[severity] is Way.OFF:
        assert told is None
        return
    assert told is not None
    assert told.at >= now
    if severity is not Severity.PAGE or hold_pages:
        assert told.gathered or not quiet.holds_at(told.at.astimezone(BERLIN).time())
    elif ways[severity] is Way.NOW:
        assert told == When(now, False)
