"""A customer with a closed month behind it: minutes in bulk for three disks, real frames for a fourth."""

import time
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from bench import months
from sla.contracts.models import Contract, ContractVersion
from sla.contracts.services import add_version, assign
from sla.domain.period import Period, period_of
from sla.fleet.models import Disk, Machine
from sla.reports.models import Statement
from sla.reports.services import freeze
from sla.scoring.services import settle_due
from sla.scoring.terms import contract_of
from tests.conftest import People
from tests.scoring.conftest import keep
from tests.telemetry.machines import minute

ZONE = "Europe/Berlin"
PAST: Period = period_of(timezone.now(), ZONE).previous().previous()
START, END = int(PAST.start.timestamp()), int(PAST.end.timestamp())
# The disks came on the last day but one: two days of minutes cover all the time they were there.
DAYS = 2
BEGAN = END - DAYS * 86_400
STORIES = {"good": months.GOOD, "broken": months.BROKEN, "edge": months.EDGE}


@dataclass(frozen=True)
class Month:
    """What the tests of statements look at."""

    people: People
    period: str
    version: ContractVersion
    disks: dict[str, Disk]

    def freeze(self, **change: Any) -> Statement:
        return freeze(**{"customer": self.people.customer_a, "period": self.period, **change})


def new_disk(people: People, name: str, customer: Any = None) -> Disk:
    machine = Machine.objects.create(customer=customer or people.customer_a, machine_id=name, hostname=name)
    return Disk.objects.create(machine=machine, identity="serial:x", device="vda", serial="x")


def put(disk: Disk, story: months.Story, version: ContractVersion, *, start: int = BEGAN, end: int = END) -> None:
    """Minutes of one story from start to end, rolled up; the disk was there from then on and reports until now."""
    count = (end - start) // 60
    nothing = np.zeros(count, bool)
    # By its name, and not by a number that depends on what ran before: "edge" may fall to either side.
    chance = np.random.default_rng(zlib.crc32(disk.machine.hostname.encode()))
    slots, seen = months.minutes_of(story, contract_of(version.pk), count, nothing, chance)
    months.copy_minutes(disk.pk, version.pk, start, slots, seen, nothing)
    months.roll_up([disk.pk])
    months.stand([disk.pk], start, int(time.time()))


@pytest.fixture
def version(people: People) -> ContractVersion:
    contract = Contract.objects.create(name="SSD Plus", customer=people.customer_a)
    made = add_version(contract=contract, text=f"99% < 15 ms at 1000 IOPS over calendar month in {ZONE}")
    ContractVersion.objects.filter(pk=made.pk).update(fee_cents=1250, currency="EUR")
    contract_of.cache_clear()
    return ContractVersion.objects.get(pk=made.pk)


@pytest.fixture
def month(people: People, version: ContractVersion) -> Month:
    """Three disks with minutes, and one whose minutes were really scored from frames."""
    disks = {}
    for name, story in STORIES.items():
        disks[name] = new_disk(people, name)
        assign(disk=disks[name], version=version, at=None)
        put(disks[name], story, version)
    disks["framed"] = new_disk(people, "framed")
    assign(disk=disks["framed"], version=version, at=None)
    keep(disks["framed"], *(minute(END - 7_200 + 60 * at, term=version.pk) for at in range(120)))
    while settle_due().marks:
        pass
    return Month(people, PAST.text, version, disks)


@pytest.fixture
def statement(month: Month) -> Statement:
    return month.freeze()


def at(unix_s: int) -> datetime:
    return datetime.fromtimestamp(unix_s, UTC)
