"""Pools and contention on pages: the heat map, the evidence, and what a customer may read of it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from django.test import Client

from sla.domain.neighbours.curve import BINS
from sla.domain.neighbours.profile import DAY_H
from sla.fleet.models import Disk, Pool
from sla.neighbours.figures import pack_minute
from sla.neighbours.models import Cause, NeighbourWindow, PoolBaseline, PoolMinute, Role, WindowDisk
from tests.conftest import People

pytestmark = pytest.mark.django_db(transaction=True)
MINUTES = 120


@pytest.fixture
def contended(seeded: dict[str, Disk]) -> Pool:
    """Two hours of the pool ssd-1, three times slower for ten minutes; ci-22 did it, erp-1 and build-2 suffered."""
    pool = Pool.objects.get(name="ssd-1")
    disks = sorted(Disk.objects.filter(pool=pool), key=lambda disk: disk.pk)
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    rng = np.random.default_rng(7)
    for ago in range(MINUTES, 0, -1):
        slow = 20 < ago <= 30
        figures = np.array([[600.0] * 3, [9e6] * 3, [900.0] * 3, np.log(3 if slow else 1) + rng.normal(0, 0.03, 3)])
        PoolMinute.objects.create(
            pool=pool,
            start=now - timedelta(minutes=ago),
            disks=[disk.pk for disk in disks],
            figures=pack_minute(figures),
            signal=1.1 if slow else 0.0,
            over=1.1 if slow else 0.0,
            drift=0.0,
            calm=not slow,
        )
    start = now - timedelta(minutes=30)
    times = [int((start + timedelta(minutes=m)).timestamp()) for m in range(-10, 20)]
    curve = [1.5] * 10 + [4.5] * 10 + [1.5] * 10
    culprit = seeded["ci-22/vdb"]
    series = [
        {
            "disk": disk.pk,
            "role": "suspect" if disk == culprit else "victim",
            "slowdown": curve,
            "latency_ms": curve,
            "iops": curve,
            "bps": curve,
        }
        for disk in disks
    ]
    window = NeighbourWindow.objects.create(
        pool=pool,
        start=start,
        end=start + timedelta(minutes=10),
        severity=3.0,
        cause=Cause.NEIGHBOUR,
        confidence=0.97,
        evidence={
            "reason": "The pool was 3.0 times slower; ci-22 / vdb brought 81 %.",
            "series": {"t": times, "disks": series},
        },
        detected_at=now,
        updated_at=now,
    )
    for disk in disks:
        mine = disk == culprit
        WindowDisk.objects.create(
            window=window,
            disk=disk,
            role=Role.SUSPECT if mine else Role.VICTIM,
            score=0.97 if mine else 0.01,
            share=0.62 if mine else 0.19,
            lag_s=60 if mine else None,
            slowdown=3.0,
        )
    body = np.zeros(DAY_H + len(disks) * (4 + 4 * BINS), "<f4").tobytes()
    thresholds = {"opens": [0.2, 0.2, 0.2, 0.2], "hot": 0.2}
    PoolBaseline.objects.create(
        pool=pool, at=now, disks=[disk.pk for disk in disks], body=body, thresholds=thresholds, least_visible=1.31
    )
    return pool


def test_a_pool_says_what_it_could_see_and_what_it_saw(
    contended: Pool, people: People, client: Client, django_assert_max_num_queries: Any
) -> None:
    client.force_login(people.noc)
    client.get("/pools")
    with django_assert_max_num_queries(15):
        listed = client.get("/pools").content.decode()
    assert "×1.31" in listed
    with django_assert_max_num_queries(15):
        page = client.get(f"/pools/{contended.pk}?range=1h")
    text = page.content.decode()
    assert "brought 81 %" in text
    assert "almost certain, 97 %" in text
    heat = page.context["data"]["heat"]
    assert heat["disks"][0]["name"].startswith("ci-22")  # the suspect stands on top
    slow = {(heat["start"] + x * heat["step_s"]) for x, _, times in heat["cells"] if times > 2}
    inside = range(int(page.context["data"]["windows"][0]["start"]), int(page.context["data"]["windows"][0]["end"]), 60)
    assert slow == set(inside)


def test_customers_read_of_their_own_disks_without_a_name(contended: Pool, people: People, client: Client) -> None:
    window = NeighbourWindow.objects.get()
    client.force_login(people.a)
    assert client.get("/pools").status_code == 404
    assert client.get(f"/pools/{contended.pk}").status_code == 404
    assert client.get(f"/pools/{contended.pk}/data").status_code == 404
    for path in ("/windows", f"/windows/{window.pk}"):
        text = client.get(path).content.decode()
        assert "ssd-1" not in text
    assert "Your share of its load was 100" in text  # all three are Alder's
    client.force_login(people.b)
    assert client.get(f"/windows/{window.pk}").status_code == 404
    assert "No window" in client.get("/windows").content.decode()


def test_another_customers_curves_stay_out_of_the_card(
    contended: Pool, seeded: dict[str, Disk], people: People, client: Client
) -> None:
    window = NeighbourWindow.objects.get()
    # One of the three now belongs to somebody else.
    machine = seeded["erp-1/vda"].machine
    machine.customer = people.customer_b
    machine.save()
    client.force_login(people.b)
    page = client.get(f"/windows/{window.pk}")
    assert [disk["name"] for disk in page.context["data"]["card"]["disks"]] == ["erp-1 / vda"]
    text = page.content.decode()
    assert [word for word in ("ci-22", "build-2", "ssd-1", "81 %") if word in text] == []
    assert "Your share of its load was 19" in text


def test_filters_of_the_list(contended: Pool, people: People, client: Client) -> None:
    client.force_login(people.noc)
    for query, count in (
        ("", 1),
        ("?cause=neighbour", 1),
        ("?cause=backend", 0),
        ("?open=1", 0),
        ("?pool=ssd-1&days=1", 1),
        ("?pool=x", 0),
    ):
        assert client.get(f"/windows{query}").context["page"].paginator.count == count, query


@pytest.mark.page
def test_nothing_is_to_say_against_them(
    contended: Pool, people: People, faults_of: Callable[..., dict[str, list[str]]]
) -> None:
    window = NeighbourWindow.objects.get().pk
    paths = ("/pools", f"/pools/{contended.pk}?range=1h", "/windows", f"/windows/{window}")
    assert faults_of((people.noc, path) for path in paths) == {}
