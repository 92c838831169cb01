"""Versions follow each other, assignments never overlap, and what changes is on record."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, transaction

from sla.accounts.models import AuditEntry
from sla.contracts.models import Assignment, Contract
from sla.contracts.selectors import assignments_between, policy_term, version_at
from sla.contracts.services import add_version, assign, assign_default, ensure_default_contract
from sla.domain.contract_text import ContractTextError
from sla.fleet.models import Disk, Machine
from tests.conftest import People

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


@pytest.fixture
def disk(people: People) -> Disk:
    machine = Machine.objects.create(customer=people.customer_a, machine_id="m" * 16, hostname="web-1")
    return Disk.objects.create(machine=machine, identity="path:vda", device="vda")


def test_a_version_keeps_the_text_and_the_figures_it_stands_for(people: People) -> None:
    text = "99.9% reads < 5 ms, writes < 12.5 ms at 3000 IOPS of 16 KiB"
    version = add_version(contract=Contract.objects.get(), text=text, actor=people.noc)
    assert (version.number, version.text, version.objective_ppm) == (2, text, 999_000)
    assert policy_term(version) == {
        "term": version.pk,
        "threshold_ms": None,
        "read_threshold_ms": 5,
        "write_threshold_ms": 12.5,
        "iops": 3000,
        "depth": 13,
        "tolerance": 0.1,
        "io_unit_bytes": 16_384,
        "objective_ppm": version.objective_ppm,
    }
    assert AuditEntry.objects.filter(verb="contract version added", actor=people.noc).count() == 1


def test_a_text_that_is_no_contract_leaves_nothing_behind(people: People) -> None:
    with pytest.raises(ContractTextError, match="msec"):
        add_version(contract=Contract.objects.get(), text="99% < 15 msec at 1000 IOPS")
    assert Contract.objects.get().versions.count() == 1


def test_a_new_assignment_ends_the_one_before_at_that_moment(disk: Disk, people: People) -> None:
    first, second = (add_version(contract=Contract.objects.get(), text=f"99% < {ms} ms at 500 IOPS") for ms in (5, 10))
    assign(disk=disk, version=first, at=None)
    assign(disk=disk, version=second, at=NOON)
    rows = assignments_between([disk.pk], NOON - timedelta(days=1), NOON + timedelta(days=1))[disk.pk]
    assert version_at(rows, NOON - timedelta(microseconds=1)) == first
    assert version_at(rows, NOON) == second
    assert Machine.objects.get().inventory_version == 3


def test_two_contracts_at_one_moment_are_refused_by_the_database(disk: Disk, people: People) -> None:
    version = ensure_default_contract().versions.get()
    assign(disk=disk, version=version, at=None)
    with pytest.raises(IntegrityError), transaction.atomic():
        Assignment.objects.create(disk=disk, version=version, valid_from=NOON)
    with pytest.raises(ValueError, match="judged by"):
        assign(disk=disk, version=version, at=None)


def test_a_disk_that_was_ever_assigned_keeps_what_it_has(disk: Disk, people: People) -> None:
    for _ in range(2):
        assign_default(customer=people.customer_a, disks=[disk])
    assert Assignment.objects.filter(disk=disk).count() == 1
