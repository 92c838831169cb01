"""Who may say what a disk did as its hypervisor saw it: an agent let in as one, of the machines placed there."""

import functools
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from sla.accounts.models import Customer
from sla.contracts.models import Contract
from sla.contracts.services import add_version, assign
from sla.fleet.agents import revoke_agent
from sla.fleet.inventory_csv import read_inventory
from sla.fleet.inventory_plan import plan
from sla.fleet.models import Agent, Disk, Machine
from sla.fleet.placement import carry_out
from sla.fleet.services import issue_enrolment_key
from sla.fleet.vantage import Vantage
from sla.telemetry.models import DueSlot, Frame
from tests.conftest import People
from tests.telemetry.machines import description, minute

pytestmark = pytest.mark.django_db
Say = Callable[..., tuple[int, list[str]]]
GUEST_A, GUEST_B = "aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb"


@functools.cache
def now() -> int:
    """The minute in which the first of these tests began."""
    return int(time.time()) // 60 * 60


def enrol(customer: Customer, machine_id: str, hostname: str, *, for_hypervisors: bool = False) -> dict[str, Any]:
    key = issue_enrolment_key(
        customer=customer, name="k", uses=1, lifetime=timedelta(days=1), for_hypervisors=for_hypervisors
    )
    answer = Client().post(
        "/api/v1/enrol",
        description(machine_id, hostname=hostname),
        content_type="application/json",
        headers={"Authorization": f"Bearer {key}"},
    )
    assert answer.status_code == 201, answer.content
    got: dict[str, Any] = answer.json()
    return got


def send(token: str, *frames: dict[str, Any]) -> Any:
    body = {"agent": {"version": "1.0.0", "boot_id": "boot", "sent_at": time.time()}, "frames": list(frames)}
    return Client().post(
        "/api/v1/frames",
        json.dumps(body),
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}"},
    )


def said(token: str, *frames: dict[str, Any]) -> tuple[int, list[str]]:
    answer = send(token, *frames).json()
    return answer["accepted"], [one["code"] for one in answer["rejected"]]


def seen_by_host(guest: str, start: int, **change: Any) -> dict[str, Any]:
    change = {"device": f"{guest}/vda", "serial": f"serial-{guest}", "vantage": "host", "source": "qmp", **change}
    return minute(start, **change)


def place(people: People, lines: str) -> None:
    rows, wrong = read_inventory("machine,host,since\n" + lines)
    found = plan(rows, wrong, people.noc, datetime.now(UTC))
    assert not found.wrong
    carry_out(found, actor=people.noc)


class House:
    """Two hypervisors of the provider's, and a guest of customer A and one of B, all on the first one."""

    def __init__(self, people: People) -> None:
        self.people = people
        self.provider = Customer.objects.create(name="Provider")
        self.first = enrol(self.provider, "1111111111111111", "hv-1", for_hypervisors=True)["agent_token"]
        self.second = enrol(self.provider, "2222222222222222", "hv-2", for_hypervisors=True)["agent_token"]
        self.guest_a = enrol(people.customer_a, GUEST_A, "web-1")["agent_token"]
        self.guest_b = enrol(people.customer_b, GUEST_B, "db-1")["agent_token"]
        place(people, "hv-1,hv-1,\nhv-2,hv-2,\nweb-1,hv-1,\ndb-1,hv-1,\n")

    def policy(self, token: str) -> dict[str, Any]:
        got: dict[str, Any] = send(token).json()["policy"]
        return got


@pytest.fixture
def house(people: People) -> House:
    return House(people)


def test_a_hypervisor_speaks_for_the_disks_of_its_guests(house: House) -> None:
    assert said(house.first, seen_by_host(GUEST_A, now() - 240), seen_by_host(GUEST_B, now() - 240)) == (2, [])
    stored = Frame.objects.order_by("disk__machine__hostname")
    assert [(f.disk.machine.hostname, f.vantage) for f in stored] == [("db-1", Vantage.HOST), ("web-1", Vantage.HOST)]
    assert {due.vantage for due in DueSlot.objects.all()} == {Vantage.HOST}
    assert said(house.guest_a, minute(now() - 240, serial=f"serial-{GUEST_A}")) == (1, [])


def test_it_is_told_whose_disks_are_here_and_by_what_to_judge_them(house: House) -> None:
    guests = house.policy(house.first)["guests"]
    assert [(one["machine"], one["hostname"], one["device"], one["serial"]) for one in guests] == [
        (GUEST_A, "web-1", "vda", f"serial-{GUEST_A}"),
        (GUEST_B, "db-1", "vda", f"serial-{GUEST_B}"),
    ]
    assert guests[0]["terms"][0]["threshold_ms"] == 15
    for token in (house.second, house.guest_a):
        assert "guests" not in house.policy(token)


@pytest.mark.parametrize(
    ("who", "change", "code"),
    [
        ("guest_a", {}, "forbidden_vantage"),
        ("guest_b", {}, "forbidden_vantage"),
        ("guest_b", {"vantage": "guest"}, "unknown_disk"),
        ("second", {}, "unknown_disk"),
        ("first", {"vantage": "guest"}, "unknown_disk"),
        ("first", {"serial": f"serial-{GUEST_B}"}, "unknown_disk"),
        ("first", {"serial": None}, "unknown_disk"),
        ("first", {"device": f"{GUEST_A}/vdb"}, "unknown_disk"),
        ("first", {"device": "vda"}, "unknown_disk"),
        ("first", {"device": "2222222222222222/vda", "serial": "serial-2222222222222222"}, "unknown_disk"),
    ],
)
def test_nobody_else_does_and_not_for_more(house: House, who: str, change: dict[str, Any], code: str) -> None:
    assert said(getattr(house, who), seen_by_host(GUEST_A, now() - 240, **change)) == (0, [code])
    assert not Frame.objects.exists()


def test_a_key_for_hypervisors_alone_opens_nothing(people: People) -> None:
    provider = Customer.objects.create(name="Provider")
    token = enrol(provider, "1111111111111111", "hv-1", for_hypervisors=True)["agent_token"]
    enrol(people.customer_a, GUEST_A, "web-1")
    assert said(token, seen_by_host(GUEST_A, now() - 240)) == (0, ["unknown_disk"])
    place(people, "web-1,hv-1,\n")
    assert said(token, seen_by_host(GUEST_A, now() - 240)) == (0, ["unknown_disk"])
    place(people, "hv-1,hv-1,\n")
    assert said(token, seen_by_host(GUEST_A, now() - 240)) == (1, [])


def test_a_guest_that_is_placed_on_the_host_is_no_hypervisor(house: House) -> None:
    assert not Agent.objects.get(machine__hostname="db-1").host_side
    assert said(house.guest_b, seen_by_host(GUEST_A, now() - 240), seen_by_host(GUEST_B, now() - 240)) == (
        0,
        ["forbidden_vantage"] * 2,
    )


def test_where_a_machine_moved_its_old_host_speaks_until_then_and_its_new_one_at_once(house: House) -> None:
    assert said(house.first, seen_by_host(GUEST_A, now() - 600)) == (1, [])
    moment = datetime.fromtimestamp(now() - 300, UTC)
    place(house.people, f"web-1,hv-2,{moment.isoformat()}\n")
    late, after = seen_by_host(GUEST_A, now() - 360), seen_by_host(GUEST_A, now() - 300)
    assert said(house.first, late, after) == (1, ["unknown_disk"])
    assert said(house.second, after) == (1, [])
    assert [one["hostname"] for one in house.policy(house.first)["guests"]] == ["db-1"]
    assert [one["hostname"] for one in house.policy(house.second)["guests"]] == ["web-1"]


def test_new_terms_and_new_disks_reach_the_hypervisor_with_its_next_upload(house: House) -> None:
    before = house.policy(house.first)["guests"][0]["terms"][0]["term"]
    disk = Disk.objects.get(machine__machine_id=GUEST_A)
    version = add_version(contract=Contract.objects.create(name="Gold"), text="99.9% < 5 ms at 3000 IOPS")
    assign(disk=disk, version=version, at=datetime.now(UTC) + timedelta(minutes=10))
    assert [one["term"] for one in house.policy(house.first)["guests"][0]["terms"]] == [before, version.pk]
    enrol(house.people.customer_a, "cccccccccccccccc", "web-2")
    place(house.people, "web-2,hv-1,\n")
    assert len(house.policy(house.first)["guests"]) == 3


def test_a_revoked_hypervisor_is_refused_at_once(house: House) -> None:
    assert said(house.first, seen_by_host(GUEST_A, now() - 240)) == (1, [])
    revoke_agent(machine=Machine.objects.get(hostname="hv-1"), actor=house.people.noc)
    assert send(house.first, seen_by_host(GUEST_A, now() - 180)).status_code == 401


def test_a_moving_guests_two_hypervisors_agree_on_each_moment(house: House) -> None:
    place(house.people, f"web-1,hv-2,{datetime.fromtimestamp(now() - 30, UTC).isoformat()}\n")
    assert said(house.first, seen_by_host(GUEST_A, now() - 240, n=40)) == (1, [])
    assert said(house.second, seen_by_host(GUEST_A, now() - 210, n=30)) == (0, ["overlap"])
    assert said(house.second, seen_by_host(GUEST_A, now() - 200, n=20)) == (1, [])


@pytest.mark.django_db(transaction=True)
def test_two_hypervisors_at_the_same_moment_do_not_both_store_it(people: People) -> None:
    house = House(people)
    place(people, f"web-1,hv-2,{datetime.fromtimestamp(now() - 30, UTC).isoformat()}\n")

    def post(token: str, start: int) -> int:
        try:
            return said(token, seen_by_host(GUEST_A, start, n=30))[0]
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        for back in range(20):
            start = now() - 3600 + 60 * back
            calls = [pool.submit(post, house.first, start), pool.submit(post, house.second, start + 10)]
            assert sum(call.result() for call in calls) == 1


def test_to_house_a_machine_ahead_of_time_is_refused(house: House) -> None:
    soon = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    rows, wrong = read_inventory(f"machine,host,since\nweb-1,hv-2,{soon}\n")
    found = plan(rows, wrong, house.people.noc, datetime.now(UTC))
    assert not found.housings
    assert "still to come" in found.wrong[0].message
