"""Something behind every door: one of each kind of thing, all of customer A, and what names in addresses mean."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from bench import months
from sla.accounts.invitations import invite
from sla.accounts.models import ApiToken, Membership, User
from sla.accounts.services import issue_api_token
from sla.contracts.models import Contract, MaintenanceSeries, MaintenanceWindow
from sla.fleet.models import Disk, EnrolmentKey, Pool
from sla.fleet.services import issue_enrolment_key
from sla.incidents.models import Incident, IncidentDisk, Silence
from sla.neighbours.models import NeighbourWindow, WindowDisk
from sla.notifications.models import Channel, Notice
from sla.notifications.sealed import seal
from sla.reports.services import freeze
from tests.conftest import People
from tests.reports.conftest import PAST, new_disk, put
from tests.web import fleet

PART = fleet.FLEET[0]


def build(people: People) -> dict[str, Any]:
    """Everything, and per name in an address (`<disk_id>`) the value that leads to it."""
    Membership.objects.filter(user=people.a).update(role="manager")
    now = timezone.now()
    disk = fleet.build(3, (PART,))[f"{PART.machine}/{PART.device}"]
    other = User.objects.create_user("c", password="a long password c")
    colleague = User.objects.create_user("noc-2", password="a long password 2", noc_role="viewer")
    invited, secret = invite(email="d@alder.example", by=people.a, now=now, customer=people.customer_a, role="viewer")
    to_noc, _ = invite(email="e@provider.example", by=people.noc, now=now, noc_role="viewer")
    issue_api_token(user=people.a, name="a's", scopes=["read"])
    incident, planned = _incident(disk, now), _planned(disk, now)
    person_of_a = {"person": people.a, "incident": incident, "severity": "page", "topic": "opened"}
    return {
        "disk_id": disk.pk,
        "machine_id": disk.machine_id,
        "pool_id": disk.pool_id,
        "pool": Pool.objects.get(pk=disk.pool_id).name,
        "window_id": {
            "": _window(disk, now).pk,
            "/api/v1/maintenance": planned.pk,
            "/maintenance": planned.pk,
        },
        "series_id": _series(disk, now).pk,
        "version": disk.assignments.get().version_id,
        "customer_id": people.customer_a.pk,
        "contract_id": Contract.objects.get(customer=people.customer_a).pk,
        "membership_id": Membership.objects.create(user=other, customer=people.customer_a).pk,
        "invitation_id": {"": to_noc.pk, "/customers": invited.pk},
        "secret": secret,
        "person_id": colleague.pk,
        "key_id": _key(people).pk,
        "token_id": ApiToken.objects.get(user=people.a, name="a's").pk,
        "incident_id": incident.pk,
        "silence_id": _silence(people, now).pk,
        "channel_id": _channel(people).pk,
        "notice_id": _notice(person_of_a, now).pk,
        "report": _statement(people, disk),
        "period": PAST.text,
        "view_id": 1,
        "chart": "latency",
        "uid": "0" * 32,  # a test of a disk, which only agents name
        "pk": 1,  # a passkey: each person would have to show first who they are
        "uidb36": "1",
        "key": "a-b",
        "token": "not-a-token",
        "language": "fr",
        "link": "not-a-link",
    }


def _incident(disk: Disk, now: Any) -> Incident:
    incident = Incident.objects.create(
        kind="acute", key="doors", severity="page", title="slow", opened_at=now, updated_at=now, joined_at=now
    )
    IncidentDisk.objects.create(incident=incident, disk=disk, since=now)
    return incident


def _window(disk: Disk, now: Any) -> NeighbourWindow:
    window = NeighbourWindow.objects.create(
        pool=disk.pool, start=now, severity=2.0, cause="neighbour", confidence=0.9, detected_at=now, updated_at=now
    )
    WindowDisk.objects.create(window=window, disk=disk, role="victim")
    return window


def _key(people: People) -> EnrolmentKey:
    issue_enrolment_key(customer=people.customer_a, name="door", uses=1, lifetime=timedelta(days=1))
    return EnrolmentKey.objects.get(name="door")


def _planned(disk: Disk, now: Any) -> MaintenanceWindow:
    window = MaintenanceWindow.objects.create(
        starts_at=now + timedelta(hours=1), ends_at=now + timedelta(hours=2), reason="x", asks_exclusion=True
    )
    window.disks.add(disk)
    return window


def _series(disk: Disk, now: Any) -> MaintenanceSeries:
    series = MaintenanceSeries.objects.create(
        rule="FREQ=WEEKLY;BYDAY=SU",
        begins_local="2026-11-22T02:00",
        minutes=30,
        zone="UTC",
        reason="x",
        laid_out_to=now,
    )
    series.disks.add(disk)
    return series


def _silence(people: People, now: Any) -> Silence:
    return Silence.objects.create(
        author=people.noc, author_label="noc", reason="x", starts_at=now, ends_at=now + timedelta(hours=1)
    )


def _channel(people: People) -> Channel:
    return Channel.objects.create(
        owner=people.a, kind="webhook", name="x", address=seal("https://hooks.example/x"), secret=seal("x"), shown="x"
    )


def _notice(told: dict[str, Any], now: Any) -> Notice:
    later = now + timedelta(hours=1)
    return Notice.objects.create(
        occasion="begun.0", created_at=now, next_at=later, give_up_at=later, message_id="<x@doors>", **told
    )


def _statement(people: People, disk: Disk) -> int:
    """Of a past month in which another disk of A was there."""
    old = new_disk(people, "old-one")
    version = disk.assignments.get().version
    old.assignments.create(version=version)
    put(old, months.GOOD, version)
    return freeze(customer=people.customer_a, period=PAST.text).pk


def filled(values: dict[str, Any], route: str) -> str:
    """The address that a route's names lead to here. KeyError names the one that nobody taught this world."""
    path = route
    for name in {part.partition(">")[0] for part in route.split("<")[1:]}:
        value = values[name]
        if isinstance(value, dict):  # one name, two kinds of thing: the longest beginning that fits
            value = value[max((start for start in value if route.startswith(start)), key=len)]
        path = path.replace(f"<{name}>", str(value))
    return path


def given(values: dict[str, Any], body: Any) -> Any:
    """A body in which "<disk_id>" stands for the thing itself."""
    if isinstance(body, dict):
        return {name: given(values, one) for name, one in body.items()}
    if isinstance(body, list):
        return [given(values, one) for one in body]
    return values[body[1:-1]] if isinstance(body, str) and body.startswith("<") else body
