"""Which machine's agent tells this, and which of its disks does it mean?"""

from sla.fleet.models import Agent, Disk, Machine
from sla.telemetry.inventory import inventory_of


class UnknownAgent(Exception):
    """No agent has this token."""


def machine_of(token_hash: bytes) -> Machine:
    """The machine whose agent's token this is. UnknownAgent."""
    agents = Agent.objects.filter(token_hash=token_hash, revoked_at=None).select_related("machine__customer")
    agent = agents.first()
    if agent is None:
        raise UnknownAgent
    return agent.machine


def disk_of(machine: Machine, device: str, serial: str | None, wwn: str | None) -> Disk:
    """The disk of this machine that is meant. Refusal of sla.telemetry where it has none such."""
    pk = inventory_of(machine.pk, machine.inventory_version).disk(device, serial, wwn)
    disk: Disk = Disk.objects.get(pk=pk, machine=machine)
    disk.machine = machine
    return disk
