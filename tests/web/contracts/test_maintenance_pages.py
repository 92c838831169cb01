"""Maintenance on pages: what it touches is shown first; whom it concerns sees it, whose time it is agrees."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from sla.accounts.models import Membership
from sla.contracts.maintenance import Places
from sla.contracts.models import MaintenanceSeries, MaintenanceWindow
from sla.fleet.models import Disk, Pool
from sla.scoring.maintenance import plan_window
from tests.conftest import People

pytestmark = pytest.mark.django_db(transaction=True)


def asked(pool: Pool, **more: Any) -> dict[str, Any]:
    begins = (datetime.now(UTC) + timedelta(days=2)).strftime("%Y-%m-%dT02:00")
    return {
        "begins": begins,
        "minutes": "90",
        "zone": "Europe/Berlin",
        "reason": "new switch",
        "pools": [pool.pk],
        "mutes": "on",
        **more,
    }


def test_what_it_touches_is_shown_then_it_is_planned_and_cancelled(
    seeded: dict[str, Disk], people: People, client: Client
) -> None:
    client.force_login(people.noc)
    pool = Pool.objects.get(name="ssd-1")
    shown = client.get("/maintenance/touches", asked(pool, rule="FREQ=WEEKLY;BYDAY=SU")).content.decode()
    assert ">3<" in shown
    assert shown.count("02:00 – 03:30") == 5
    assert client.post("/maintenance/new", asked(pool)).status_code == 302
    window = MaintenanceWindow.objects.get()
    assert (window.mutes, window.excludes, list(window.pools.all())) == (True, False, [pool])
    assert window.ends_at - window.starts_at == timedelta(minutes=90)
    month = f"{window.starts_at:%Y-%m}"
    assert "new switch" in client.get(f"/maintenance?month={month}").content.decode()
    client.post(f"/maintenance/{window.pk}/cancel")
    assert "new switch" not in client.get(f"/maintenance?month={month}").content.decode().replace("“new switch”", "")


def test_what_comes_again_is_laid_out_and_ended(seeded: dict[str, Disk], people: People, client: Client) -> None:
    client.force_login(people.noc)
    pool = Pool.objects.get(name="ssd-1")
    assert client.post("/maintenance/new", asked(pool, rule="FREQ=DAILY")).status_code == 302
    series = MaintenanceSeries.objects.get()
    assert series.windows.count() > 30
    client.post(f"/maintenance/series/{series.pk}/end")
    assert not series.windows.filter(cancelled_at=None, starts_at__gt=datetime.now(UTC)).exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"zone": "Mars/Base"}, "no time zone"),
        ({"begins": "tomorrow"}, "write it like"),
        ({"mutes": ""}, "would do nothing"),
        ({"rule": "FREQ=SOMETIMES"}, "SOMETIMES"),
        ({"pools": []}, "names no disk"),
        ({"minutes": "0"}, "greater than or equal to 1"),
    ],
)
def test_odd_plans_are_told(
    change: dict[str, Any], said: str, seeded: dict[str, Disk], people: People, client: Client
) -> None:
    client.force_login(people.noc)
    answer = client.post("/maintenance/new", {**asked(Pool.objects.get(name="ssd-1")), **change})
    assert answer.status_code == 400
    assert said in answer.content.decode()
    assert not MaintenanceWindow.objects.exists()


def test_passed_time_is_taken_out_only_with_the_customers_word(
    seeded: dict[str, Disk], people: People, client: Client
) -> None:
    now = datetime.now(UTC)
    disk = seeded["web-12/vda"]
    window = plan_window(
        actor=people.noc,
        starts_at=now - timedelta(minutes=40),
        ends_at=now - timedelta(minutes=20),
        reason="cable",
        places=Places(disks=[disk]),
        excludes=True,
    )
    path = f"/maintenance/{window.pk}/agree"
    client.force_login(people.a)
    assert client.post(path, {"customer": people.customer_a.pk}).status_code == 403  # a viewer
    Membership.objects.filter(user=people.a).update(role="manager")
    client.force_login(people.b)
    assert client.post(path, {"customer": people.customer_a.pk}).status_code == 404
    client.force_login(people.a)
    assert "Agree for Alder" in client.get("/maintenance").content.decode()
    client.post(path, {"customer": people.customer_a.pk, "note": "we knew"})
    window.refresh_from_db()
    assert window.excludes
    assert "we knew" in window.approvals[0]


def test_customers_see_when_and_why_but_not_where(seeded: dict[str, Disk], people: People, client: Client) -> None:
    client.force_login(people.noc)
    client.post("/maintenance/new", asked(Pool.objects.get(name="ssd-1")))
    month = f"{MaintenanceWindow.objects.get().starts_at:%Y-%m}"
    for user, sees in ((people.a, True), (people.b, False), (people.stranger, False)):
        client.force_login(user)
        text = client.get(f"/maintenance?month={month}").content.decode()
        assert ("new switch" in text) is sees
        assert "ssd-1" not in text
        assert client.get("/maintenance/new").status_code == 403


@pytest.mark.page
def test_nothing_is_to_say_against_them(
    seeded: dict[str, Disk], people: People, client: Client, faults_of: Callable[..., dict[str, list[str]]]
) -> None:
    client.force_login(people.noc)
    pool = Pool.objects.get(name="ssd-1")
    client.post("/maintenance/new", asked(pool, excludes="on"))
    client.post("/maintenance/new", asked(pool, rule="FREQ=WEEKLY;BYDAY=SU"))
    planning = f"/maintenance/new?pool={pool.pk}&disk={seeded['web-12/vda'].pk}"
    assert faults_of((people.noc, path) for path in ("/maintenance", planning)) == {}
