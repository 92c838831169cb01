"""What guest and host say of a disk, in words for the NOC and for its customer."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from sla.fleet.models import Agent, Disk, Host, Machine
from sla.scoring.services import settle_due
from sla.web.disk_sides import both_sides
from tests.conftest import People
from tests.scoring.conftest import NOW, disk, half_a_minute_after_now, keep, machine, sent, term  # noqa: F401
from tests.telemetry.machines import minute

pytestmark = pytest.mark.django_db
Sent = Callable[..., dict[str, Any]]
AT = datetime.fromtimestamp(NOW, UTC)


def words(disk: Disk, who: Any) -> str:  # noqa: F811
    got = both_sides(disk, who, AT)
    assert got is not None
    return " ".join(got["words"])


def test_sides_that_agree(people: People, sent: Sent, disk: Disk) -> None:  # noqa: F811
    frames = [sent(ago) for ago in (3, 4, 5)]
    keep(disk, *frames, vantage=2)
    settle_due()
    got = both_sides(disk, people.noc, AT)
    assert got is not None and (got["state"], got["word"]) == ("met", "agree")
    assert got["words"] == ["I/Os, bytes and time agree in 3 of 3 minutes that both saw whole."]
    assert "on our host: the same in 3 of 3" in words(disk, people.a)


def test_time_between_the_two_has_an_owner(people: People, sent: Sent, disk: Disk, term: int) -> None:  # noqa: F811
    frames = [sent(ago) for ago in (3, 4, 5)]
    quicker = [
        minute(
            one["start"],
            term=term,
            read_ms=[value // 4 for value in one["read_ms"]],
            write_ms=[value // 4 for value in one["write_ms"]],
        )
        for one in frames
    ]
    keep(disk, *quicker, vantage=2)
    settle_due()
    noc, theirs = words(disk, people.noc), words(disk, people.a)
    assert "the guest's own queue, not the storage" in noc
    assert "Your machine waits" in theirs and "not in the storage" in theirs


def test_a_host_that_saw_little_says_so(people: People, sent: Sent, disk: Disk) -> None:  # noqa: F811
    frames = [sent(ago) for ago in (3, 4, 5, 6)]
    keep(disk, *frames[:2], vantage=2)
    settle_due()
    got = both_sides(disk, people.noc, AT)
    assert got is not None and got["state"] == "no_data"
    assert "saw 50 % of the guest's time" in got["words"][-1]


def test_sides_that_differ_are_called_so(people: People, sent: Sent, disk: Disk) -> None:  # noqa: F811
    frames = [sent(ago) for ago in (3, 4, 5)]
    lying = minute(NOW - 180, read_ios=[0] * 60, read_ms=[0] * 60, read_sectors=[0] * 60)
    keep(disk, *frames[1:], lying, vantage=2)
    settle_due()
    got = both_sides(disk, people.noc, AT)
    assert got is not None and (got["state"], got["word"]) == ("breached", "differ")


def test_the_clocks_of_both_agents_are_told_and_an_unknown_one_is(people: People, sent: Sent, disk: Disk) -> None:  # noqa: F811
    keep(disk, sent(3), vantage=2)
    settle_due()
    Agent.objects.update_or_create(machine=disk.machine, defaults={"health": {"clock_offset_s": -5.04}})
    got = both_sides(Disk.objects.get(pk=disk.pk), people.noc, AT)
    assert got is not None and got["rows"][-1] == ("clock, against the server’s", "5.0 s ahead: odd", "not known")
    disk.machine.host = Host.objects.create(name="hv-1")
    disk.machine.save()
    speaker = Machine.objects.create(
        customer=disk.machine.customer, machine_id="hypervisor-1", hostname="hv-1", host=disk.machine.host
    )
    Agent.objects.create(machine=speaker, token_hash=b"x" * 32, host_side=True, health={"clock_offset_s": 0.02})
    Agent.objects.filter(machine=disk.machine).update(health={"clock_offset_s": 0.3})
    got = both_sides(Disk.objects.get(pk=disk.pk), people.noc, AT)
    assert got is not None and got["rows"][-1][1:] == ("0.3 s behind", "right")


def test_the_page_has_the_card_where_there_are_two_sides_only(
    people: People,
    sent: Sent,  # noqa: F811
    disk: Disk,  # noqa: F811
    client: Client,
) -> None:
    frames = [sent(ago) for ago in (3, 4, 5)]
    settle_due()
    client.force_login(people.noc)
    assert 'id="sides"' not in client.get(f"/disks/{disk.pk}/").content.decode()
    keep(disk, *frames, vantage=2)
    settle_due()
    assert 'id="sides"' in client.get(f"/disks/{disk.pk}/").content.decode()
