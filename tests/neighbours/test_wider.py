"""Pools that slow down at the same moment: one trouble above them, nobody named, and it ends where chance begins."""

from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from sla.contracts.services import assign_default
from sla.fleet.models import Disk, Machine, Pool
from sla.neighbours import services, together
from sla.neighbours.again import redetect
from sla.neighbours.models import NeighbourWindow, Role
from sla.scoring.store import transacting
from tests.conftest import People
from tests.domain.neighbours.made import slowed
from tests.neighbours.conftest import MINUTES, NOW, House, keep, past
from tests.neighbours.test_detect import found, told

__all__ = ["told"]  # a fixture
SLOW = slice(MINUTES - 30, MINUTES - 20)


@pytest.fixture
def other(house: House, people: People) -> House:
    """A second pool, of customer B."""
    pool = Pool.objects.create(name="ssd-2")
    machine = Machine.objects.create(customer=people.customer_b, machine_id="machine-other-1", hostname="vm-other")
    disks = [
        Disk.objects.create(machine=machine, identity=f"serial:o{place}", device=f"vd{place}", pool=pool)
        for place in range(8)
    ]
    assign_default(customer=people.customer_b, disks=disks)
    return House(pool, disks)


def slow(house: House, *, seed: int, later: int = 0, culprit: int | None = None) -> None:
    keep(house, slowed(past(seed=seed), SLOW.start + later, SLOW.stop + later, 2.0, culprit=culprit))


def test_two_pools_slow_at_the_same_moment_are_one_trouble_above_them(
    house: House, other: House, told: list[tuple[str, int]]
) -> None:
    slow(house, seed=1)
    slow(other, seed=2, later=1)
    services.detect_due()
    one, two = NeighbourWindow.objects.order_by("pool")
    assert (one.cause, two.cause) == ("wider", "wider")
    assert one.evidence["pools"] == two.evidence["pools"] == 2
    assert one.confidence > 0.99
    assert "2 storage pools slowed down at the same moment" in one.evidence["reason"]
    assert "not caused by one pool's disks" in one.evidence["reason"]
    assert not NeighbourWindow.objects.filter(disks__role=Role.SUSPECT).exists()
    before = found()
    heard = len(told)
    call_command("detect_neighbours", "--from", str(NOW - 3_600), "--to", str(NOW))
    assert found() == before
    assert len(told) == heard
    NeighbourWindow.objects.all().delete()
    call_command("detect_neighbours", "--from", str(NOW - 3_600), "--to", str(NOW))
    assert found() == before


def test_the_same_hours_apart_are_two_troubles(house: House, other: House) -> None:
    slow(house, seed=1)
    slow(other, seed=2, later=-120)
    services.detect_due()
    assert {one.cause for one in NeighbourWindow.objects.all()} == {"backend"}


def test_a_pool_whose_own_load_explains_it_keeps_its_culprit(house: House, other: House) -> None:
    slow(house, seed=1)
    slow(other, seed=2, culprit=3)
    services.detect_due()
    assert dict(NeighbourWindow.objects.values_list("pool__name", "cause")) == {
        "ssd-1": "backend",
        "ssd-2": "neighbour",
    }
    assert NeighbourWindow.objects.get(pool=other.pool).disks.get(role=Role.SUSPECT).disk == other.disks[3]


def accuse(house: House) -> NeighbourWindow:
    """A window in which somebody was named although the pool's load was no higher."""
    window = NeighbourWindow.objects.get(pool=house.pool)
    first = window.disks.order_by("disk").first()
    window.disks.filter(pk=first.pk).update(role=Role.SUSPECT, slowdown=2.0)
    window.cause, window.confidence = "neighbour", 0.95
    window.evidence["reason"] = "vm-0 did it."
    window.evidence["series"]["disks"] = [{"disk": first.disk_id, "role": "suspect"}]
    window.save()
    return window


def settle() -> int:
    with transacting() as cursor:
        return together.settle(cursor, NOW - 3_600, NOW, NOW)


def test_who_was_named_by_the_pool_alone_is_named_no_more_and_again_if_it_was_alone(
    house: House, other: House, told: list[tuple[str, int]]
) -> None:
    slow(house, seed=1)
    services.detect_due()
    accuse(house)
    alone = found()
    slow(other, seed=2)
    redetect(start=NOW - 3_600, end=NOW, pool=other.pool.pk)
    window = NeighbourWindow.objects.get(pool=house.pool)
    assert window.cause == "wider"
    assert not window.disks.filter(role=Role.SUSPECT).exists()
    assert window.disks.order_by("disk").first().role == Role.VICTIM
    assert window.evidence["series"]["disks"][0]["role"] == "victim"
    assert "vm-0" not in window.evidence["reason"]
    assert told[-1][0] == "updated" or ("updated", window.pk) in told
    assert settle() == 0
    NeighbourWindow.objects.filter(pool=other.pool).delete()
    assert settle() == 1
    assert found() == alone


def test_the_provider_reads_a_sentence_and_a_customer_that_it_was_no_load_of_one_pool(
    house: House, other: House, people: People, client: Client
) -> None:
    slow(house, seed=1)
    services.detect_due()
    accuse(house)
    slow(other, seed=2)
    redetect(start=NOW - 3_600, end=NOW, pool=other.pool.pk)
    window = NeighbourWindow.objects.get(pool=house.pool)
    client.force_login(people.noc)
    told: dict[str, Any] = client.get("/api/v1/neighbour-windows?pool=ssd-1").json()["items"][0]
    assert told["cause"] == "wider" and told["suspects"] == []
    assert "alone" not in told["evidence"] and told["evidence"]["pools"] == 2
    assert "not caused by one pool&#x27;s disks" in client.get(f"/windows/{window.pk}").content.decode()
    client.force_login(people.a)
    mine = client.get("/api/v1/neighbour-windows").json()["items"][0]
    words = "Several storage pools slowed down at the same moment; not caused by one pool’s disks."
    assert mine["evidence"]["reason"] == words
    assert words in client.get(f"/windows/{window.pk}").content.decode()
