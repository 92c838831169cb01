"""Incidents as the rules write them, people who want to know, and a mail server that really listens."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from sla.accounts.models import Customer, User
from sla.contracts.services import assign_default
from sla.domain.incidents.words import Happened
from sla.fleet.models import Disk, Machine, Pool
from sla.incidents.history import record_event
from sla.incidents.models import Incident, IncidentDisk
from sla.notifications import nudge
from sla.notifications.models import Notice
from tests.conftest import People
from tests.notifications.sink import Server, Sink

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


class Clock:
    """`timezone.now()` while a test runs."""

    def __init__(self) -> None:
        self.now = NOW

    def on(self, **delta: float) -> datetime:
        """Later by so much."""
        self.now += timedelta(**delta)
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(timezone, "now", lambda: made.now)
    return made


@pytest.fixture(autouse=True)
def nudged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What would have gone to the broker."""
    sent: list[str] = []
    monkeypatch.setattr(nudge.current_app, "send_task", lambda name, **_: sent.append(name))
    return sent


@pytest.fixture
def readers(people: People) -> People:
    """The people of all tests, with mail addresses."""
    for user in (people.noc, people.a, people.b, people.stranger):
        user.email = f"{user.username}@example.com"
        user.save()
    return people


@pytest.fixture
def sink(settings: Any) -> Iterator[Sink]:
    """A mail server that takes everything until a test says otherwise; it is the one in the settings."""
    made = Sink()
    server = Server(made)
    server.start()
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", server.port, 2
    settings.EMAIL_HOST_USER, settings.EMAIL_USE_TLS, settings.EMAIL_USE_SSL = "", False, False
    made.server = server  # type: ignore[attr-defined]
    yield made
    server.stop()


MakeDisks = Callable[..., list[Disk]]


@pytest.fixture
def make_disks(people: People) -> MakeDisks:
    """`make(5, pool="ssd-3", customer=…)`: disks, each on its own machine."""

    def make(count: int, *, pool: str = "", customer: Customer | None = None) -> list[Disk]:
        place = Pool.objects.get_or_create(name=pool)[0] if pool else None
        owner = customer or people.customer_a
        first, disks = Disk.objects.count(), []
        for number in range(first, first + count):
            machine = Machine.objects.create(customer=owner, machine_id=f"id-{number}", hostname=f"vm-{number}")
            disks.append(Disk.objects.create(machine=machine, identity=f"serial:{number}", device="vda", pool=place))
        assign_default(customer=owner, disks=disks)
        return disks

    return make


def opened(disks: list[Disk], now: datetime, **fields: Any) -> Incident:
    """An incident of these disks, with the event that says so."""
    made: dict[str, Any] = {
        "kind": Incident.Kind.ACUTE,
        "key": f"slow:{disks[0].pk if disks else 0}",
        "severity": Incident.Severity.PAGE,
        "title": f"{disks[0]} is slow" if disks else "something",
        "pool": disks[0].pool if disks else None,
        **fields,
    }
    incident = Incident.objects.create(opened_at=now, updated_at=now, joined_at=now, **made)
    IncidentDisk.objects.bulk_create([IncidentDisk(incident=incident, disk=disk, since=now) for disk in disks])
    record_event(incident, Happened.OPENED, now)
    return incident


def joined(incident: Incident, disks: list[Disk], now: datetime) -> None:
    IncidentDisk.objects.bulk_create([IncidentDisk(incident=incident, disk=disk, since=now) for disk in disks])
    record_event(incident, Happened.JOINED, now, data={"disks": [disk.pk for disk in disks]})


def resolved(incident: Incident, now: datetime) -> None:
    incident.state, incident.resolved_at = Incident.State.RESOLVED, now
    incident.disks.update(until=now)
    record_event(incident, Happened.RESOLVED, now)


def notices(person: User | None = None) -> list[Notice]:
    """In the order in which they were written."""
    found = Notice.objects.select_related("person", "channel").order_by("id")
    return list(found if person is None else found.filter(person=person))
