"""Did our own work happen on time?"""

from sla.domain.incidents.watch import Backlog, Turn, late, limit_s, waiting


def test_a_task_may_miss_three_turns_and_a_minute() -> None:
    assert limit_s(2) == 66
    assert list(late([Turn("settle", 2, 66)], up_s=1e6)) == []
    assert list(late([Turn("settle", 2, 240)], up_s=1e6)) == ["settle last ended well 4 min ago, it is due every 2 s"]


def test_a_task_that_fails_each_time_is_late_and_says_why() -> None:
    (said,) = late([Turn("settle", 2, 300, "OperationalError: gone")], up_s=1e6)
    assert said.endswith("it is due every 2 s: OperationalError: gone")


def test_after_a_restart_nothing_is_late_that_had_no_time_yet() -> None:
    turns = [Turn("settle", 2, 90_000), Turn("drop", 3_600, None)]
    assert list(late(turns, up_s=60)) == []
    assert [said.split()[0] for said in late(turns, up_s=67)] == ["settle"]
    assert list(late([Turn("drop", 3_600, None)], up_s=10_861)) == ["drop never ended well, it is due every 60 min"]


def test_what_waits_is_said_once_it_waits_too_long() -> None:
    assert list(waiting([Backlog("minutes wait", 5, 119, 120), Backlog("none", 0, 1e9, 120)])) == []
    assert list(waiting([Backlog("minutes wait", 5, 121, 120)])) == ["5 minutes wait, the oldest for 2 min"]
