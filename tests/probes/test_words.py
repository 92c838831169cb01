"""What a disk's page says of its tests: against the contract, in sentences, marked on the charts."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from sla.fleet.models import Disk
from sla.probes.judge import Terms, judge, own_terms
from sla.probes.models import Record
from sla.web.disk_probes import section
from sla.web.probe_marks import marks
from sla.web.probe_words import durability_words, fsync_sentences, tipping_words
from tests.conftest import People
from tests.probes import told

Tell = Callable[..., Any]


def _said(*steps: dict[str, Any], **change: Any) -> dict[str, Any]:
    return {"steps": steps, "write_percent": 0, "slow_ms": 15.0, "objective": 0.99, "iops": 0, **change}


def test_the_tipping_point_is_judged_by_the_contract_and_not_by_what_was_asked_for() -> None:
    said = {**_said(*told.STEPS), "slow_ms": 5000.0, "objective": 0.5}
    judged = judge(said, Terms(15_000, 990_000, 1000))
    assert (judged.tipping_iops, judged.tipping_concurrency, judged.reached, judged.beyond) == (1210, 4, True, False)
    assert judged.slow == (0, 0, 30, 900) and judged.met == (True, True, True, False)
    assert judge(said, own_terms(said)).beyond


@pytest.mark.parametrize(
    ("steps", "iops", "words"),
    [
        (told.STEPS, 1000, "up to 1,210 IOPS (4 in flight), and no further. The contract's 1,000 IOPS are carried."),
        (
            told.STEPS,
            2000,
            "up to 1,210 IOPS (4 in flight), and no further. The contract promises that up to 2,000 IOPS.",
        ),
        (
            told.STEPS[:1],
            2000,
            "no load that was tried breaks it. 2,000 IOPS were not reached: the test did not go so far.",
        ),
        (told.STEPS[3:], 1000, "Not even one request at a time keeps 99 % under 15 ms."),
    ],
    ids=["carried", "not carried", "not tried", "not even one"],
)
def test_the_verdict_is_a_sentence(steps: Any, iops: int, words: str) -> None:
    terms = Terms(15_000, 990_000, iops)
    assert words in tipping_words(judge(_said(*steps), terms), terms, by_contract=True)


def test_commits_are_said_as_a_database_sees_them() -> None:
    alone, flood, several = fsync_sentences(told.fsync())
    assert "commits 812 times a second" in alone
    assert "11 a second, 1 % of that" in flood and "804 ms" in flood
    assert several == "4 such databases at once get 640 a second together, the slowest of them 97."


@pytest.mark.parametrize(
    ("change", "tone", "words"),
    [
        ({}, "no_data", "nobody has looked yet"),
        ({"lost": 0, "restarted": False}, "no_data", "has not restarted: nothing is shown"),
        ({"lost": 0, "restarted": True}, "met", "All 1,204 acknowledged blocks were there after the restart."),
        ({"lost": 37, "restarted": True}, "breached", "This disk lies: 37 of 1,204 acknowledged blocks"),
        ({"lost": 1, "restarted": False}, "breached", "without any restart"),
    ],
    ids=["not looked", "no restart", "kept", "lies", "gone"],
)
def test_a_disk_lies_only_where_a_restart_has_shown_it(change: Any, tone: str, words: str) -> None:
    checked = datetime(2026, 11, 1, tzinfo=UTC) if change else None
    said, shown = durability_words(Record(acknowledged=1204, checked_at=checked, **change))
    assert shown == tone and words in said


@pytest.mark.django_db
def test_the_page_shows_all_three_to_those_who_may_see_the_disk(
    tell: Tell, disk: Disk, people: People, client: Client
) -> None:
    for one in (told.steps(), told.fsync(), told.durability()):
        assert tell(one).status_code == 201
    for person, status in ((people.noc, 200), (people.a, 200), (people.b, 404), (people.stranger, 404)):
        client.force_login(person)
        assert client.get(f"/disks/{disk.pk}/probes").status_code == status
    client.force_login(people.a)
    page = client.get(f"/disks/{disk.pk}/probes").content.decode()
    assert "and no further" in page and "commits 812 times" in page and "nobody has looked yet" in page
    assert 'id="probe-steps"' in page and 'style="' not in page


@pytest.mark.django_db
def test_a_disk_without_tests_says_how_one_is_made(disk: Disk, people: People, client: Client) -> None:
    client.force_login(people.a)
    assert "plimsoll-agent probe" in client.get(f"/disks/{disk.pk}/probes").content.decode()
    assert section(disk)["all"] == []


@pytest.mark.django_db
def test_a_test_is_marked_on_the_charts_while_it_ran(tell: Tell, disk: Disk) -> None:
    now = round(time.time())
    tell(told.steps(started_at=now - 300, ended_at=now - 240))
    tell(told.durability(started_at=now - 200))
    at = datetime.fromtimestamp(now, UTC)

    def seen(start: int, end: int) -> list[tuple[int, int]]:
        span = (at - timedelta(seconds=start), at - timedelta(seconds=end))
        return [(one["start"] - now, one["end"] - now) for one in marks(disk, *span)]

    assert seen(400, 0) == [(-200, -199), (-300, -240)]
    assert seen(270, 260) == [(-300, -240)] and seen(239, 201) == [] and seen(400, 300) == []
