"""Figures that the wire allows and no disk ever had must not stop the scoring of anybody else."""

from typing import Any

import pytest

from sla.fleet.models import Disk, Machine
from sla.scoring.models import Slot
from sla.scoring.services import settle_due
from sla.telemetry.models import DueSlot
from tests.scoring.conftest import NOW, keep
from tests.telemetry.machines import minute

pytestmark = pytest.mark.django_db
LARGEST = 2**53 - 1


@pytest.mark.parametrize(
    "change",
    [
        {"read_ms": [LARGEST] * 60},
        {"read_ios": [LARGEST] * 60, "write_ios": [LARGEST] * 60},
        {"read_sectors": [LARGEST] * 60, "write_sectors": [LARGEST] * 60},
        {"queue_ms": [LARGEST] * 60, "in_flight": [LARGEST] * 60},
        {"base": {"read_ios": LARGEST, "write_ios": LARGEST, "read_ms": LARGEST, "write_ms": LARGEST}},
        {"read_hist": [[100, LARGEST]], "write_hist": [[280, LARGEST]]},
        {"fine_ms": [LARGEST] * 60},
    ],
)
def test_extreme_figures_do_not_stop_the_disk_beside(
    disk: Disk, machine: Machine, term: int, change: dict[str, Any]
) -> None:
    other = Disk.objects.create(machine=machine, identity="serial:y", device="vdb", serial="y")
    keep(disk, minute(NOW - 180, **change))
    keep(other, minute(NOW - 180))
    settle_due()
    assert not DueSlot.objects.exists()
    assert Slot.objects.filter(disk=other).count() == 1
    assert Slot.objects.filter(disk=disk).count() == 1


def test_an_hour_of_extreme_figures_does_not_stop_the_disk_beside(disk: Disk, machine: Machine, term: int) -> None:
    other = Disk.objects.create(machine=machine, identity="serial:y", device="vdb", serial="y")
    most = {
        name: [LARGEST] * 60 for name in ("read_ios", "write_ios", "read_ms", "write_ms", "read_sectors", "queue_ms")
    }
    keep(disk, *(minute(NOW - 7200 + 60 * index, **most) for index in range(60)))
    keep(other, minute(NOW - 180))
    settle_due()
    assert not DueSlot.objects.exists()
    assert Slot.objects.filter(disk=other).count() == 1
