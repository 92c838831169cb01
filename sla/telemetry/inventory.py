"""Whose upload is it, and which disk does a frame mean? Remembered per process, and stale the moment it changes.

The token is looked up on every request, so a revoked one is refused at once; what hangs on it (disks, policy) is
remembered under the machine's `inventory_version`.
"""

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec
from django.db.models import F

from sla.contracts.selectors import policy_for
from sla.fleet.hosted import Guest, address_of, guests_of
from sla.fleet.models import Disk
from sla.telemetry.refusal import UNKNOWN_DISK, Refusal, shown

# A policy also changes by the clock alone, when an assignment begins: it is told an hour before (POLICY_AHEAD). An
# agent calls once a minute: most calls should find what is remembered.
REMEMBER_S = 600
REMEMBER_MACHINES = 20_000  # about 2 KB each


@dataclass(frozen=True, slots=True)
class Inventory:
    """The disks of one machine by every name a frame may call them, and what their agent should judge by."""

    by_wwn: dict[str, list[Disk]]
    by_serial: dict[str, list[Disk]]
    by_device: dict[str, list[Disk]]
    guests: dict[str, list[Guest]]
    policy: msgspec.Raw
    version: int
    until: float

    def disk(self, device: str, serial: str | None, wwn: str | None) -> int:
        """The id of the disk meant; Refusal where the machine has no such disk."""
        if wwn and (found := self.by_wwn.get(wwn)):
            pass
        elif serial:
            found = self.by_serial.get(serial)
        else:
            found = self.by_device.get(device)
        if not found:
            raise Refusal(
                UNKNOWN_DISK,
                f"this machine has no disk {shown(device)} of serial {shown(serial)}, wwn {shown(wwn)}; enrol again",
            )
        if len(found) == 1:
            return found[0].id
        # Virtual disks often share a serial: then the path tells them apart.
        return next((disk.pk for disk in found if disk.device == device), found[0].pk)

    def guest_disk(self, device: str, serial: str | None, start: int) -> int:
        """The id of the guest's disk that a hypervisor calls MACHINE/DEVICE; Refusal where the inventory does not place
        that machine on its host, or no longer did at `start`."""
        found = [guest for guest in self.guests.get(device, ()) if (serial or "") == guest.disk.serial]
        if not found:
            raise Refusal(
                UNKNOWN_DISK,
                f"the inventory places no machine with the disk {shown(device)} of serial {shown(serial)} on this host",
            )
        until = found[0].until
        if until is not None and start >= until:
            raise Refusal(UNKNOWN_DISK, f"the machine of {shown(device)} runs on another host since {until:.0f}")
        return found[0].disk.pk


_remembered: dict[int, Inventory] = {}


def _guests_policy(guests: Sequence[Guest]) -> list[dict[str, Any]]:
    """The disks that a hypervisor may speak for now, with the names that its operator may know them by."""
    disks = [guest.disk for guest in guests if guest.until is None and guest.disk.removed_at is None]
    told = policy_for(disks, datetime.now(UTC))["disks"]
    return [
        {**entry, "machine": disk.machine.machine_id, "hostname": disk.machine.hostname}
        for disk, entry in zip(disks, told, strict=True)
    ]


def _encoded(policy: dict[str, Any]) -> msgspec.Raw:
    """As JSON, once: it goes out with every answer."""
    return msgspec.Raw(msgspec.json.encode(policy))


def _spread(machine_id: int) -> float:
    """From a half to one: what a process learnt in one minute must not be forgotten in one minute."""
    return 0.5 + machine_id % 64 / 128


def inventory_of(machine_id: int, version: int) -> Inventory:
    """What is known of the machine at this version of its inventory."""
    known = _remembered.get(machine_id)
    now = time.monotonic()
    if known is not None and known.version == version and now < known.until:
        return known
    if len(_remembered) >= REMEMBER_MACHINES:
        _remembered.clear()
    # A disk that is gone may still have frames in its agent's spool; one that is there is meant first.
    disks = list(Disk.objects.filter(machine=machine_id).order_by(F("removed_at").desc(nulls_first=True), "id"))
    by_wwn: dict[str, list[Disk]] = defaultdict(list)
    by_serial: dict[str, list[Disk]] = defaultdict(list)
    by_device: dict[str, list[Disk]] = defaultdict(list)
    for disk in disks:
        by_wwn[disk.wwn].append(disk)
        by_serial[disk.serial].append(disk)
        by_device[disk.device].append(disk)
    guests: dict[str, list[Guest]] = defaultdict(list)
    for guest in guests_of(machine_id):
        guests[address_of(guest.disk)].append(guest)
    policy = policy_for([d for d in disks if d.removed_at is None], datetime.now(UTC))
    if guests:
        policy["guests"] = _guests_policy([guest for listed in guests.values() for guest in listed])
    fresh = Inventory(
        by_wwn,
        by_serial,
        by_device,
        guests,
        _encoded(policy),
        version,
        now + REMEMBER_S * _spread(machine_id),
    )
    _remembered[machine_id] = fresh
    return fresh
