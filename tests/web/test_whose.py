"""Whose fault: what detection found, with a name for the NOC and without one for a customer."""

from datetime import UTC, datetime, timedelta

import pytest

from sla.accounts.models import User
from sla.contracts.services import assign_default
from sla.fleet.models import Disk, Machine, Pool
from sla.neighbours.models import Cause, NeighbourWindow, Role, WindowDisk
from sla.web.whose import Whose, whose
from tests.conftest import People

pytestmark = pytest.mark.django_db
AT = datetime(2026, 11, 21, 14, 3, tzinfo=UTC)


@pytest.fixture
def pool() -> Pool:
    return Pool.objects.create(name="ssd-1")


@pytest.fixture
def victim(people: People, pool: Pool) -> Disk:
    machine = Machine.objects.create(customer=people.customer_a, machine_id="a", hostname="web-1")
    disk = Disk.objects.create(machine=machine, identity="serial:a", device="vda", serial="a", pool=pool)
    assign_default(customer=machine.customer, disks=[disk])
    return disk


@pytest.fixture
def neighbour(people: People, pool: Pool) -> Disk:
    machine = Machine.objects.create(customer=people.customer_b, machine_id="b", hostname="backup-7")
    return Disk.objects.create(machine=machine, identity="serial:b", device="vdb", serial="b", pool=pool)


def window(
    cause: Cause, *, pool: Pool | None = None, disk: Disk | None = None, ago_m: int | None = None
) -> NeighbourWindow:
    """One that began two hours ago; `ago_m`: it ended so many minutes ago."""
    return NeighbourWindow.objects.create(
        pool=pool,
        disk=disk,
        start=AT - timedelta(hours=2),
        end=None if ago_m is None else AT - timedelta(minutes=ago_m),
        severity=2.0,
        cause=cause,
        confidence=0.9,
        detected_at=AT,
        updated_at=AT,
    )


def suffered(where: NeighbourWindow, victim: Disk, suspect: Disk | None = None) -> None:
    WindowDisk.objects.create(window=where, disk=victim, role=Role.VICTIM)
    if suspect is not None:
        WindowDisk.objects.create(window=where, disk=suspect, role=Role.SUSPECT, score=0.95)


def said(user: User, disk: Disk, *, slow: bool = False) -> Whose:
    return whose([disk.pk], {disk.pk} if slow else (), user, AT)[disk.pk]


def test_the_noc_reads_the_suspect_and_is_led_to_the_evidence(
    people: People, victim: Disk, neighbour: Disk, pool: Pool
) -> None:
    found = window(Cause.NEIGHBOUR, pool=pool)
    suffered(found, victim, neighbour)
    told = said(people.noc, victim)
    assert told == Whose("suspect backup-7 / vdb", f"/pools/{pool.pk}?window={found.pk}")


def test_a_customer_never_reads_a_name(people: People, victim: Disk, neighbour: Disk, pool: Pool) -> None:
    found = window(Cause.NEIGHBOUR, pool=pool)
    suffered(found, victim, neighbour)
    assert said(people.a, victim) == Whose("shared storage", f"/windows/{found.pk}")


def test_without_a_suspect_nobody_is_named(people: People, victim: Disk, pool: Pool) -> None:
    suffered(window(Cause.NEIGHBOUR, pool=pool), victim)
    assert said(people.noc, victim).words == "another disk’s load, no single culprit"


def test_what_lasts_comes_before_what_is_over(people: People, victim: Disk, pool: Pool) -> None:
    suffered(window(Cause.BACKEND, pool=pool, ago_m=10), victim)
    assert said(people.noc, victim).words == "the storage behind the pool, until 13:53 UTC"
    suffered(window(Cause.DISK, disk=victim), victim)
    assert said(people.noc, victim).words == "this disk alone"


def test_what_ended_over_an_hour_ago_explains_nothing(people: People, victim: Disk, pool: Pool) -> None:
    suffered(window(Cause.BACKEND, pool=pool, ago_m=61), victim)
    assert said(people.noc, victim) == Whose("nothing in the last hour", found=False)


def test_a_disk_that_was_slow_with_nobody_to_blame_is_slow_alone(people: People, victim: Disk) -> None:
    assert said(people.noc, victim, slow=True) == Whose("this disk alone: no contention found", found=False)
    assert said(people.noc, victim) == Whose("nothing in the last hour", found=False)


def test_who_made_it_slow_is_no_victim_of_it(people: People, victim: Disk, neighbour: Disk, pool: Pool) -> None:
    suffered(window(Cause.NEIGHBOUR, pool=pool), victim, neighbour)
    assert not said(people.noc, neighbour).found
