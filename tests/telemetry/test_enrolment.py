"""`POST /api/v1/enrol`: who may come in, what a disk is, and what they get."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from sla.contracts.models import Contract
from sla.contracts.services import add_version
from sla.fleet.models import Disk, EnrolmentKey, Machine
from sla.fleet.services import DiskFacts, identities, issue_enrolment_key
from tests.conftest import People
from tests.telemetry.machines import description

pytestmark = pytest.mark.django_db


def enrol(key: str, **change: Any) -> Any:
    return Client().post(
        "/api/v1/enrol",
        description(**change),
        content_type="application/json",
        headers={"Authorization": f"Bearer {key}"},
    )


def test_a_new_disk_gets_the_default_contract_and_its_term_in_the_policy(key_a: str) -> None:
    (disk,) = enrol(key_a).json()["policy"]["disks"]
    term = disk["terms"][0]
    assert (term["threshold_ms"], term["iops"], term["depth"], term["tolerance"]) == (15, 1000, 13, 0.1)


def test_a_customers_own_default_contract_goes_before_everybodys(key_a: str, people: People) -> None:
    own = Contract.objects.create(name="Gold", customer=people.customer_a, is_default=True)
    add_version(contract=own, text="99.9% reads < 5 ms, writes < 10 ms at 3000 IOPS of 16 KiB")
    term = enrol(key_a).json()["policy"]["disks"][0]["terms"][0]
    assert (term["threshold_ms"], term["read_threshold_ms"], term["write_threshold_ms"]) == (None, 5, 10)


def test_a_key_counts_machines_not_enrolments(key_a: str) -> None:
    for machine in ("machine-1", "machine-1", "machine-2", "machine-3"):
        assert enrol(key_a, machine_id=machine).status_code == 201
    assert EnrolmentKey.objects.get().uses_left == 0
    assert enrol(key_a, machine_id="machine-4").status_code == 401
    assert enrol(key_a, machine_id="machine-1").status_code == 201


@pytest.mark.parametrize("change", ["expired", "revoked"])
def test_an_expired_or_revoked_key_opens_nothing(people: People, change: str) -> None:
    lifetime = timedelta(days=-1 if change == "expired" else 1)
    key = issue_enrolment_key(customer=people.customer_a, name="old", uses=9, lifetime=lifetime)
    if change == "revoked":
        EnrolmentKey.objects.update(revoked_at="2026-01-01T00:00Z")
    assert enrol(key).status_code == 401
    assert not Machine.objects.exists()


def test_a_machine_of_one_customer_cannot_be_taken_with_the_key_of_another(key_a: str, people: People) -> None:
    assert enrol(key_a).status_code == 201
    other = issue_enrolment_key(customer=people.customer_b, name="b", uses=9, lifetime=timedelta(days=1))
    response = enrol(other)
    assert response.status_code == 409 and response.json()["error"]["field"] == "machine_id"
    assert Machine.objects.get().customer == people.customer_a


def test_an_agents_own_token_reports_changed_disks_but_only_for_its_own_machine(key_a: str) -> None:
    token = enrol(key_a).json()["agent_token"]
    two = [{"device": "vda", "serial": "serial-0123456789abcdef"}, {"device": "vdb", "serial": "second"}]
    fresh = enrol(token, disks=two)
    assert fresh.status_code == 201 and len(fresh.json()["policy"]["disks"]) == 2
    assert enrol(fresh.json()["agent_token"], machine_id="another-machine").status_code == 401


def test_a_disk_that_is_gone_keeps_its_past_and_comes_back_as_itself(key_a: str) -> None:
    enrol(key_a)
    disk = Disk.objects.get()
    enrol(key_a, disks=[])
    disk.refresh_from_db()
    assert disk.removed_at is not None
    enrol(key_a)
    disk.refresh_from_db()
    assert disk.removed_at is None and Disk.objects.count() == 1


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"machine_id": "short"}, "machine_id"),
        ({"machine_id": None}, "machine_id"),
        ({"disks": [{"serial": "x"}]}, "device"),
        ({"disks": [{"device": 5}]}, "device"),
    ],
)
def test_what_is_wrong_is_named(key_a: str, change: dict[str, Any], word: str) -> None:
    response = enrol(key_a, **change)
    assert 400 <= response.status_code < 500 and word in response.json()["error"]["message"]


def test_a_disk_is_its_wwn_else_its_serial_else_its_path() -> None:
    disks = [
        DiskFacts("sda", serial="s", wwn="w"),
        DiskFacts("sdb", serial="t"),
        DiskFacts("sdc"),
        DiskFacts("sdd", serial="twin"),
        DiskFacts("sde", serial="twin"),
        DiskFacts("sdf", serial="", wwn=""),
    ]
    assert identities(disks) == ["wwn:w", "serial:t", "path:sdc", "path:sdd", "path:sde", "path:sdf"]
