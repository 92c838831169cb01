"""Whose disks may a hypervisor's agent speak for? Those of machines that the inventory places on its own host."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import F, Q

from sla.fleet.models import Disk, Machine


@dataclass(frozen=True, slots=True)
class Guest:
    """A disk of a machine on the host. `until`: where the machine has moved away, the Unix second it did; None: it is
    still here."""

    disk: Disk
    until: float | None


def address_of(disk: Disk) -> str:
    """What a hypervisor's agent calls it: names of devices alone are the same in every machine."""
    return f"{disk.machine.machine_id}/{disk.device}"


def guests_of(machine_id: int) -> list[Guest]:
    """For a machine whose agent came with a key for hypervisors and that the inventory places on a host itself: the
    disks of the other machines there. None of another hypervisor's, and nothing for any other machine.

    A machine that moved may still be spoken for by where it was: what was measured before arrives after.
    """
    speaker = Machine.objects.filter(pk=machine_id, agent__host_side=True, agent__revoked_at=None).first()
    if speaker is None or speaker.host_id is None:
        return []
    here = Q(machine__host=speaker.host_id)
    disks = (
        Disk.objects.filter(here | Q(machine__host_before=speaker.host_id, machine__housed_at__isnull=False))
        .exclude(machine=machine_id)
        .exclude(machine__agent__host_side=True)
        .select_related("machine")
        # A disk that is there is meant before one of the same name that is gone.
        .order_by(F("removed_at").desc(nulls_first=True), "id")
    )
    return [Guest(disk, None if disk.machine.host_id == speaker.host_id else _moment(disk.machine)) for disk in disks]


def _moment(machine: Machine) -> float:
    return machine.housed_at.timestamp() if machine.housed_at else 0.0


def tell_again(machine_id: int, hosts: Iterable[int | None] = ()) -> None:
    """What is remembered of this machine is stale now, and so it is with the hypervisors of its host and of `hosts`."""
    machine = Machine.objects.select_related("agent").only("host", "agent__host_side").get(pk=machine_id)
    stale = Q(pk=machine_id)
    # Nobody speaks for a hypervisor's own disks: then no two of them ever wait for each other's rows.
    if not (hasattr(machine, "agent") and machine.agent.host_side):
        on = {machine.host_id, *hosts} - {None}
        if on:
            stale |= Q(host__in=on, agent__host_side=True)
    Machine.objects.filter(stale).update(inventory_version=F("inventory_version") + 1)
