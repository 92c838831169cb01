"""What happened beside a disk's figures: for the NOC with names, for its customer without, for others not at all."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from sla.contracts.models import MaintenanceWindow
from sla.fleet.models import Disk, Pool
from sla.fleet.placement import place_disk
from sla.incidents.models import Incident, IncidentDisk
from sla.neighbours.models import Cause, NeighbourWindow, Role, WindowDisk
from tests.conftest import People

pytestmark = pytest.mark.django_db


@pytest.fixture
def eventful(seeded: dict[str, Disk]) -> Disk:
    """A window of its pool, an incident, maintenance and a move, all within the last hour."""
    disk, now = seeded["web-12/vda"], timezone.now()
    window = NeighbourWindow.objects.create(
        pool=disk.pool,
        start=now - timedelta(minutes=40),
        severity=2.34,
        cause=Cause.NEIGHBOUR,
        confidence=0.97,
        detected_at=now,
        updated_at=now,
    )
    WindowDisk.objects.create(window=window, disk=disk, role=Role.VICTIM, slowdown=2.3)
    incident = Incident.objects.create(
        kind="acute",
        key="k",
        severity="page",
        title="ssd-3: 3 disks slow, ci-22 suspected",
        opened_at=now - timedelta(minutes=39),
        updated_at=now,
        joined_at=now,
    )
    IncidentDisk.objects.create(incident=incident, disk=disk, since=now)
    maintenance = MaintenanceWindow.objects.create(
        starts_at=now - timedelta(minutes=20), ends_at=now - timedelta(minutes=10), reason="new cable", excludes=True
    )
    maintenance.disks.add(disk)
    for name, ago in (("hdd-1", 50), ("ssd-3", 30)):
        pool, _ = Pool.objects.get_or_create(name=name)
        place_disk(disk=disk, pool=pool, at=now - timedelta(minutes=ago))
    return disk


def asked(client: Client, disk: Disk) -> list[dict[str, Any]]:
    return client.get(f"/disks/{disk.pk}/data?range=1h").json()["events"]


def test_the_noc_sees_all_four_kinds_in_order(eventful: Disk, people: People, client: Client) -> None:
    client.force_login(people.noc)
    told = asked(client, eventful)
    assert [one["kind"] for one in told] == ["contention", "incident", "move", "maintenance"]
    assert "×2.3" in told[0]["text"]
    assert told[0]["end"] is None
    assert told[2]["text"] == "moved from hdd-1 to ssd-3"
    assert told[3]["text"] == "maintenance: taken out of the SLA, alerts muted"


def test_its_customer_reads_no_name_of_the_inside(eventful: Disk, people: People, client: Client) -> None:
    client.force_login(people.a)
    told = asked(client, eventful)
    assert [one["kind"] for one in told] == ["contention", "incident", "maintenance"]
    assert not [one for one in told if any(word in one["text"] for word in ("ssd-3", "hdd-1", "ci-22"))]


def test_what_is_long_over_is_not_told(eventful: Disk, people: People, client: Client) -> None:
    client.force_login(people.noc)
    to = (timezone.now() - timedelta(hours=3)).strftime("%Y-%m-%dT%H:%MZ")
    assert client.get(f"/disks/{eventful.pk}/data?range=1h&to={to}").json()["events"] == []
