"""A day in a word: judged by its sums as a month is."""

import pytest
from django.db import connection

from sla.domain.states import State
from sla.fleet.models import Disk
from sla.scoring.columns import ROLLED
from sla.scoring.days import DAYS, last_days
from sla.scoring.store import DAY_S

pytestmark = pytest.mark.django_db
TODAY = 1_795_305_600  # 2026-11-22
NOON = TODAY + DAY_S // 2
GUEST = 1


def put(disk: Disk, term: int, ago: int, *, excluded: bool = False, **sums: int) -> None:
    """A row of days; what is not named is 0."""
    columns = {name: sums.get(name, 0) for name in ROLLED}
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO scoring_day (disk_id, vantage, start, term, excluded, {', '.join(columns)}) "  # noqa: S608
            f"VALUES (%s, {GUEST}, to_timestamp(%s), %s, %s, {', '.join(['%s'] * len(columns))})",
            [disk.pk, TODAY - ago * DAY_S, term, excluded, *columns.values()],
        )


def busy(slow: int, slow_low: int, slow_high: int) -> dict[str, int]:
    """A whole day of a million requests, all of them covered."""
    return {
        **dict.fromkeys(("eligible_low", "eligible", "eligible_high"), 1_000_000),
        **{"read_ios": 1_000_000, "observed_s": DAY_S, "slots": 1_440, "slots_met": 1_439, "slots_breached": 1},
        **{"slow": slow, "slow_low": slow_low, "slow_high": slow_high},
    }


def test_one_bad_minute_does_not_make_a_bad_day(disk: Disk, term: int) -> None:
    put(disk, term, 1, **busy(5_000, 4_000, 6_000))  # one in a hundred may be slow
    day = last_days(disk.pk, GUEST, NOON, TODAY - 3 * DAY_S)[-2]
    assert (day.state, day.proved, day.low, day.high) == (State.MET, True, 0.994, 0.996)


def test_a_day_that_spent_more_than_its_share_is_breached_and_says_whether_that_is_proved(
    disk: Disk, term: int
) -> None:
    put(disk, term, 1, **busy(11_000, 9_000, 12_000))
    put(disk, term, 2, **busy(11_000, 10_500, 12_000))
    *_, proved, likely, _ = last_days(disk.pk, GUEST, NOON, TODAY - 3 * DAY_S)
    assert (likely.state, likely.proved) == (State.BREACHED, False)
    assert (proved.state, proved.proved) == (State.BREACHED, True)


def test_days_before_the_first_frame_are_nothing_and_silent_ones_are_no_data(disk: Disk, term: int) -> None:
    put(disk, term, 2, **busy(0, 0, 0))
    put(disk, term, 3, excluded=True, **busy(0, 0, 0))
    days = last_days(disk.pk, GUEST, NOON, TODAY - 3 * DAY_S)
    assert len(days) == DAYS
    assert [day.state for day in days[-5:]] == [None, State.MAINTENANCE, State.MET, State.NO_DATA, State.NO_DATA]


def test_half_a_day_is_too_little_to_judge_it(disk: Disk, term: int) -> None:
    put(disk, term, 1, **{**busy(0, 0, 0), "observed_s": DAY_S // 2})
    assert last_days(disk.pk, GUEST, NOON, TODAY - 3 * DAY_S)[-2].state is State.NO_DATA


def test_today_is_judged_by_what_there_is(disk: Disk, term: int) -> None:
    put(disk, term, 0, **{**busy(0, 0, 0), "observed_s": DAY_S // 2})
    assert last_days(disk.pk, GUEST, NOON, TODAY - 3 * DAY_S)[-1].state is State.MET
