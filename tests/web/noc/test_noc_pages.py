"""The matrix, the months of a disk and the wall board: what they say, what they cost, how they look to axe."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from sla.contracts.models import Contract
from sla.contracts.services import Price, add_version
from sla.fleet.models import Disk
from sla.fleet.vantage import Vantage
from sla.incidents.jobs import AUDIT, record_run
from sla.incidents.models import JobRun
from sla.neighbours.models import NeighbourWindow, WindowDisk
from sla.scoring.models import Correction
from sla.scoring.score import compute_score
from tests.conftest import People
from tests.web.browser import Page

pytestmark = pytest.mark.django_db(transaction=True)


def month_before() -> str:
    now = datetime.now(UTC)
    return f"{now.year - (now.month == 1):04d}-{(now.month - 2) % 12 + 1:02d}"


@pytest.fixture
def with_history(seeded: dict[str, Disk]) -> dict[str, Disk]:
    """One disk's last month was closed as breached, and then corrected."""
    disk, period = seeded["web-12/vda"], month_before()
    written = compute_score(disk.pk, period)
    written |= {"state": "breached", "proved": True, "sli": {"low": 0.9712, "estimate": 0.975, "high": 0.9799}}
    written |= {"credit": {"proved_percent": 30, "up_to_percent": 30}}
    for number, reason in enumerate(["", "a spool came late"]):
        Correction.objects.create(
            disk=disk,
            vantage=Vantage.GUEST,
            period=period,
            number=number,
            score=written,
            reason=reason,
            made_at=datetime.now(UTC),
        )
    return seeded


def test_a_cell_says_what_the_month_was_worth(
    with_history: dict[str, Disk], people: People, client: Client, django_assert_max_num_queries: Any
) -> None:
    client.force_login(people.noc)
    client.get("/matrix")
    with django_assert_max_num_queries(15):
        text = client.get("/matrix").content.decode()
    disk = with_history["web-12/vda"]
    assert f"/disks/{disk.pk}/{month_before()}" in text
    assert "97.12" in text
    assert "97.99" in text
    assert "corr. 1" in text
    assert "credit 30 %" in text


def test_nobody_sees_anothers_months(with_history: dict[str, Disk], people: People, client: Client) -> None:
    disk = with_history["web-12/vda"]
    path = f"/disks/{disk.pk}/{month_before()}"
    for user, code, named in ((people.noc, 200, True), (people.a, 200, True), (people.b, 404, False)):
        client.force_login(user)
        assert client.get(path).status_code == code
        assert ("web-12" in client.get("/matrix").content.decode()) is named
        assert ("web-12" in client.get("/wall").content.decode()) is named


def test_a_month_is_told_with_its_corrections(with_history: dict[str, Disk], people: People, client: Client) -> None:
    client.force_login(people.noc)
    text = client.get(f"/disks/{with_history['web-12/vda'].pk}/{month_before()}").content.decode()
    assert "a spool came late" in text
    assert "97.12–97.99 %" in text
    assert client.get(f"/disks/{with_history['web-12/vda'].pk}/2026-13").status_code == 404


def test_the_board_turns_through_all_that_is_out_of_contract(
    seeded: dict[str, Disk], people: People, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sla.web.noc.wall_page.ROWS", 2)
    client.force_login(people.noc)
    seen = set()
    for turn in range(3):
        text = client.get(f"/wall?turn={turn}", headers={"HX-Request": "true"}).content.decode()
        seen |= {
            name for name in ("web-12", "db-3", "shop-1", "ci-22", "mail-4") if f"{name} /" in text.split("news")[0]
        }
    assert len(seen) == 5


def test_a_machine_is_shown_with_its_disks_and_its_agent_can_be_revoked(
    seeded: dict[str, Disk], people: People, client: Client
) -> None:
    machine = seeded["k8s-9/sdb"].machine
    client.force_login(people.noc)
    text = client.get(f"/machines/{machine.pk}").content.decode()
    assert all(word in text for word in ("sdb", "sdc", "Birch", "hv-11", "1.2.0"))
    client.force_login(people.b)
    own = client.get(f"/machines/{machine.pk}").content.decode()
    assert [word for word in ("nvme-2", "hv-11", "Revoke") if word in own] == []
    assert client.post(f"/machines/{machine.pk}/revoke").status_code == 403
    client.force_login(people.a)
    assert client.get(f"/machines/{machine.pk}").status_code == 404
    client.force_login(people.noc)
    client.post(f"/machines/{machine.pk}/revoke")
    machine.agent.refresh_from_db()
    assert machine.agent.revoked_at is not None


def test_beside_the_fleet_stands_what_is_contended_and_what_is_owed(
    seeded: dict[str, Disk], people: People, client: Client, django_assert_max_num_queries: Any
) -> None:
    disk, now = seeded["web-12/vda"], datetime.now(UTC)
    window = NeighbourWindow.objects.create(
        pool=disk.pool, start=now, severity=2.31, cause="backend", confidence=0.9, detected_at=now, updated_at=now
    )
    WindowDisk.objects.create(window=window, disk=disk, role="victim")
    add_version(contract=Contract.objects.get(customer=None), text="99% < 1 ms at 1 IOPS", price=Price(500, "EUR"))
    client.force_login(people.noc)
    with django_assert_max_num_queries(15):
        text = client.get("/beside").content.decode()
    assert all(word in text for word in ("ssd-3", "×2.3", "no single culprit", "1 disk slow", "disks without a fee"))
    client.force_login(people.a)
    text = client.get("/beside").content.decode()
    assert "shared storage" in text
    assert [word for word in ("ssd-3", "Credits") if word in text] == []
    client.force_login(people.b)
    assert "×2.3" not in client.get("/beside").content.decode()


def test_a_job_that_never_ran_is_late_once_the_schedule_has_run_for_long(people: People, client: Client) -> None:
    client.force_login(people.noc)
    for ago, word in ((timedelta(seconds=20), "not yet"), (timedelta(days=1), "late")):
        JobRun.objects.all().delete()
        record_run(AUDIT, datetime.now(UTC) - ago, 5, "all is well")
        page = client.get("/jobs")
        said = {row["name"]: row["word"] for row in page.context["rows"]}
        assert said["reports.recheck"] == word
        assert bool(page.context["bad"]) is (word == "late")


def test_a_job_that_failed_or_is_late_comes_first(people: People, client: Client) -> None:
    now = datetime.now(UTC)
    record_run("sla.scoring.settle_due", now, 12, "settled 3 slots")
    record_run("sla.scoring.merge_histograms", now, 5, "", error="ValueError: 7 is odd")
    client.force_login(people.noc)
    page = client.get("/jobs")
    names = [(row["name"], row["word"]) for row in page.context["rows"]]
    assert names[0] == ("scoring.merge_histograms", "failed")
    assert ("scoring.settle_due", "on time") in names
    assert ("scoring.close_periods", "not yet") in names
    assert "ValueError: 7 is odd" in page.content.decode()
    for user in (people.a, people.b, people.stranger):
        client.force_login(user)
        assert client.get("/jobs").status_code == 404


@pytest.mark.page
def test_nothing_is_to_say_against_them(
    with_history: dict[str, Disk], people: People, faults_of: Callable[..., dict[str, list[str]]]
) -> None:
    disk, machine = with_history["web-12/vda"].pk, with_history["web-12/vda"].machine_id
    months = [f"/disks/{disk}/{month}" for month in (month_before(), f"{datetime.now(UTC):%Y-%m}")]
    assert faults_of((people.noc, path) for path in ("/matrix", "/wall", f"/machines/{machine}", *months)) == {}


@pytest.mark.page
def test_what_stands_beside_the_fleet_comes_by_itself(
    seeded: dict[str, Disk], people: People, open_page: Callable[..., Page]
) -> None:
    page = open_page(people.noc, "/")
    assert "No storage is slower than its load explains." in page.page.inner_text("#beside")
    assert not page.complaints


@pytest.mark.page
def test_any_list_can_be_had_as_a_file(seeded: dict[str, Disk], people: People, open_page: Callable[..., Page]) -> None:
    opened = open_page(people.noc, "/agents")
    opened.page.hover(".table-card")
    with opened.page.expect_download() as coming:
        opened.page.click(".table-csv")
    lines = coming.value.path().read_text(encoding="utf-8-sig").splitlines()
    assert coming.value.suggested_filename == "agents.csv"
    assert lines[0].startswith("Machine,Reports,Customer")
    assert len(lines) == 12
    assert not opened.complaints
