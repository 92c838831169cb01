"""A pool with a past, as the scorer leaves it: slots of several disks of two customers, minute by minute."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import pytest
from django.db import connection
from django.utils import timezone

from sla.contracts.services import assign_default
from sla.domain.neighbours.slots import PoolSlots
from sla.fleet.models import Disk, Machine, Pool
from sla.neighbours import baselines
from sla.scoring.models import DiskNow
from tests.conftest import People
from tests.domain.neighbours.made import pool as made

NOW = int(time.time()) // 60 * 60
MINUTES = 600
ZERO = (
    *("term", "reason", "fine_ms", "queue_ms", "in_flight", "eligible_low", "eligible", "eligible_high", "slow_low"),
    *(
        "slow",
        "slow_high",
        "lost_ms",
        "gap_ios",
        "gap_ms",
        "first_boot",
        "last_boot",
        "write_ios",
        "write_bytes",
        "write_ms",
    ),
)


@pytest.fixture(autouse=True)
def nothing_learnt_by_another_test() -> None:
    baselines.forget_all()


@pytest.fixture(autouse=True)
def half_a_minute_after_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timezone, "now", lambda: datetime.fromtimestamp(NOW + 30, UTC))


@dataclass(frozen=True)
class House:
    """A pool, its disks in order, those of customer A first, and the last one of B."""

    pool: Pool
    disks: list[Disk]


@pytest.fixture
def house(people: People) -> House:
    pool = Pool.objects.create(name="ssd-1")
    disks = []
    for place in range(8):
        customer = people.customer_a if place < 4 else people.customer_b
        machine = Machine.objects.create(customer=customer, machine_id=f"machine-{place:09}", hostname=f"vm-{place}")
        disks.append(Disk.objects.create(machine=machine, identity="serial:x", device="vda", serial="x", pool=pool))
    for customer in (people.customer_a, people.customer_b):
        assign_default(customer=customer, disks=[disk for disk in disks if disk.machine.customer == customer])
    return House(pool, disks)


def past(minutes: int = MINUTES, end: int = NOW, **how: int) -> PoolSlots:
    """Quiet slots of eight disks that end at `end`."""
    slots = made(8, minutes, **how)
    return PoolSlots(60, end - 60 * minutes + 60 * np.arange(minutes), slots.ios, slots.size_bytes, slots.time_ms)


def keep(house: House, slots: PoolSlots, vantage: int = 1) -> None:
    """Put slots where the scorer puts them."""
    seen = np.argwhere(np.isfinite(slots.ios))
    disks = [house.disks[row].pk for row in seen[:, 0]]
    places = tuple(seen.T)
    figures = [values[places].astype(int).tolist() for values in (slots.ios, slots.size_bytes, slots.time_ms)]
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            INSERT INTO scoring_slot (disk_id, vantage, start, read_ios, read_bytes, read_ms,
                excluded, state, proved, grade, observed_s, hist, {", ".join(ZERO)})
            SELECT d, %s, to_timestamp(t), i, b, m, false, 1, true, 1, 60, '', {", ".join("0" for _ in ZERO)}
            FROM unnest(%s::int[], %s::int8[], %s::int[], %s::int8[], %s::int[]) AS given (d, t, i, b, m)
            """,  # noqa: S608
            [vantage, disks, slots.starts[seen[:, 1]].tolist(), *figures],
        )
    now = timezone.now()
    end = datetime.fromtimestamp(int(slots.starts[-1]) + 60, UTC)
    for disk in house.disks:
        DiskNow.objects.update_or_create(disk=disk, defaults={"seen_at": end, "updated_at": now})
