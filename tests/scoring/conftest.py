"""A machine with one disk that has sent minutes, and what the tests of scoring need to look at it."""

import hashlib
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils import timezone

from plimsoll_agent.core import layout
from sla.contracts.services import assign_default
from sla.fleet.models import Disk, Machine
from sla.telemetry.models import DueSlot, Frame
from tests.conftest import People
from tests.telemetry.machines import minute

BESIDE = {"device", "serial", "wwn", "vantage", "source", "start", "step_s", "n"}
NOW = int(time.time()) // 60 * 60
BOOT = int.from_bytes(hashlib.sha256(b"boot-1").digest()[:8], "big", signed=True)


@pytest.fixture(autouse=True)
def half_a_minute_after_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """NOW was taken when the run began, maybe many minutes ago: a disk must not go silent by that."""
    monkeypatch.setattr(timezone, "now", lambda: datetime.fromtimestamp(NOW + 30, UTC))


@pytest.fixture
def machine(people: People) -> Machine:
    return Machine.objects.create(customer=people.customer_a, machine_id="0123456789abcdef", hostname="web-1")


@pytest.fixture
def disk(machine: Machine) -> Disk:
    disk = Disk.objects.create(machine=machine, identity="serial:x", device="vda", serial="x")
    assign_default(customer=machine.customer, disks=[disk])
    return disk


@pytest.fixture
def term(disk: Disk) -> int:
    return disk.assignments.get().version_id


def keep(disk: Disk, *frames: dict[str, Any], boot: int = BOOT, vantage: int = 1) -> None:
    """Store frames and mark their minutes due, as ingest does."""
    now = timezone.now()
    for frame in frames:
        start = datetime.fromtimestamp(frame["start"], UTC)
        Frame.objects.create(
            disk=disk,
            vantage=vantage,
            start=start,
            step_s=frame["step_s"],
            n=frame["n"],
            source=1,
            boot=boot,
            received_at=now,
            body=layout.encode({name: value for name, value in frame.items() if name not in BESIDE}),
        )
        DueSlot.objects.create(disk=disk, vantage=vantage, start=start.replace(second=0), marked_at=now)


@pytest.fixture
def sent(disk: Disk, term: int) -> Callable[..., dict[str, Any]]:
    """Store one minute of the disk, `ago` minutes back; its frame."""

    def send(ago: int, **change: Any) -> dict[str, Any]:
        frame = minute(NOW - 60 * ago, term=term, **change)
        keep(disk, frame)
        return frame

    return send
