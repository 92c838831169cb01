"""A machine asks to come in: check what it says, let it in, give its new disks a contract, say what to judge by."""

from datetime import datetime
from typing import Annotated, Any

import msgspec
from django.db import transaction

from sla.contracts.selectors import policy_for
from sla.contracts.services import assign_default
from sla.fleet import services as fleet
from sla.fleet.services import DiskFacts

# A real machine id has 32 characters; 8 keeps out "1" and "localhost", which two machines would share.
MachineId = Annotated[str, msgspec.Meta(min_length=8, max_length=128)]
MAX_DISKS = 1_000  # far over any machine's, far under what would hurt
MAX_FACTS_BYTES = 65_536


class EnrolRequest(msgspec.Struct, frozen=True):
    """The body of `POST /api/v1/enrol`."""

    machine_id: MachineId
    hostname: Annotated[str, msgspec.Meta(min_length=1, max_length=255)]
    disks: Annotated[list[DiskFacts], msgspec.Meta(max_length=MAX_DISKS)]
    boot_id: Annotated[str, msgspec.Meta(max_length=64)] = ""
    agent_version: Annotated[str, msgspec.Meta(max_length=32)] = ""
    virtualisation: Annotated[str, msgspec.Meta(max_length=64)] | None = None
    facts: dict[str, Any] = msgspec.field(default_factory=dict)


class EnrolAnswer(msgspec.Struct, frozen=True):
    """What a machine gets when it is let in."""

    agent_token: str
    machine: int
    policy: dict[str, Any]


@transaction.atomic
def enrol(*, secret: str, request: EnrolRequest, now: datetime) -> EnrolAnswer:
    """NotAllowed, AnotherCustomers of sla.fleet.services."""
    machine, disks, token = fleet.enrol(
        secret=secret,
        machine_id=request.machine_id,
        hostname=request.hostname,
        boot_id=request.boot_id,
        agent_version=request.agent_version,
        virtualisation=request.virtualisation or "",
        facts=request.facts,
        disks=request.disks,
        now=now,
    )
    assign_default(customer=machine.customer, disks=disks)
    return EnrolAnswer(agent_token=token, machine=machine.pk, policy=policy_for(disks, now))
