"""Verbs on the inventory: keys, machines and their agents, disks."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from sla.accounts.models import Customer, User
from sla.accounts.tokens import hash_token, make_token
from sla.fleet.hosted import tell_again
from sla.fleet.models import Agent, Disk, EnrolmentKey, Machine


class DiskFacts(msgspec.Struct, frozen=True):
    """A disk as its machine describes it."""

    device: str
    serial: str | None = None
    wwn: str | None = None
    size_bytes: int | None = None
    rotational: bool | None = None
    scheduler: str | None = None
    write_cache: str | None = None


class NotAllowed(Exception):
    """The key or token does not open this door; the message says why without saying what else exists."""


class AnotherCustomers(Exception):
    """The machine is enrolled with another customer."""


def issue_enrolment_key(
    *,
    customer: Customer,
    name: str,
    uses: int,
    lifetime: timedelta,
    for_hypervisors: bool = False,
    by: User | None = None,
) -> str:
    """A new key, returned in clear this once."""
    key, key_hash = make_token("enrol")
    EnrolmentKey.objects.create(
        customer=customer,
        name=name,
        key_hash=key_hash,
        uses_left=uses,
        expires_at=timezone.now() + lifetime,
        for_hypervisors=for_hypervisors,
        created_by=by,
    )
    return key


def identities(disks: Sequence[DiskFacts]) -> list[str]:
    """WWN, else serial, else device path; what two disks of one machine share tells neither of them apart."""
    wwns, serials = Counter(d.wwn for d in disks), Counter(d.serial for d in disks)
    named = []
    for disk in disks:
        if disk.wwn and wwns[disk.wwn] == 1:
            named.append(f"wwn:{disk.wwn}")
        elif disk.serial and serials[disk.serial] == 1:
            named.append(f"serial:{disk.serial}")
        else:
            named.append(f"path:{disk.device}")
    return named


def _customer_of(secret: str, machine_id: str, now: datetime) -> tuple[Customer, bool, EnrolmentKey | None]:
    """Who may enrol this machine with this secret: (customer, host side, key or None where its own agent asks)."""
    agent = (
        Agent.objects.select_related("machine__customer").filter(token_hash=hash_token(secret), revoked_at=None).first()
    )
    if agent is not None:
        if agent.machine.machine_id != machine_id:
            raise NotAllowed("this agent token belongs to another machine")
        return agent.machine.customer, agent.host_side, None
    key = EnrolmentKey.objects.select_related("customer").filter(key_hash=hash_token(secret), revoked_at=None).first()
    if key is None or key.expires_at <= now:
        raise NotAllowed("the enrolment key is unknown, revoked or expired; ask the NOC for a new one")
    return key.customer, key.for_hypervisors, key


@transaction.atomic
def enrol(
    *,
    secret: str,
    machine_id: str,
    hostname: str,
    boot_id: str,
    agent_version: str,
    virtualisation: str,
    facts: dict[str, Any],
    disks: Sequence[DiskFacts],
    now: datetime,
) -> tuple[Machine, list[Disk], str]:
    """Let a machine in, or in again: its token is rotated, its disks are kept. NotAllowed, AnotherCustomers."""
    customer, host_side, key = _customer_of(secret, machine_id, now)
    machine = Machine.objects.select_for_update().filter(machine_id=machine_id).first()
    if machine is not None and machine.customer_id != customer.pk:
        raise AnotherCustomers(f"machine {machine_id!r} is enrolled with another customer")
    if machine is None:
        # The conditional update is the count: two machines cannot both take the last use.
        if key is None or not EnrolmentKey.objects.filter(pk=key.pk, uses_left__gt=0).update(
            uses_left=F("uses_left") - 1
        ):
            raise NotAllowed("the enrolment key has no uses left; ask the NOC for a new one")
        machine = Machine(customer=customer, machine_id=machine_id)
    new = machine.pk is None
    machine.hostname, machine.virtualisation, machine.facts = hostname, virtualisation, facts
    machine.save()
    token, token_hash = make_token("agent")
    said = {
        "token_hash": token_hash,
        "host_side": host_side,
        "version": agent_version,
        "boot_id": boot_id,
        "revoked_at": None,
        "seen_at": now,
    }
    # Of a machine that was not there until now nothing is stored.
    Agent.objects.update_or_create(
        machine=machine, defaults=said, create_defaults={**said, "frames_until": 0 if new else None}
    )
    kept = _keep_disks(machine, disks, now)
    tell_again(machine.pk)
    return machine, kept, token


def _keep_disks(machine: Machine, disks: Sequence[DiskFacts], now: datetime) -> list[Disk]:
    """The machine's disks as now described; one that is gone keeps its past and is marked removed."""
    kept = []
    for identity, facts in zip(identities(disks), disks, strict=True):
        disk, _ = Disk.objects.update_or_create(
            machine=machine,
            identity=identity,
            defaults={
                "device": facts.device,
                "serial": facts.serial or "",
                "wwn": facts.wwn or "",
                "size_bytes": facts.size_bytes,
                "rotational": facts.rotational,
                "scheduler": facts.scheduler or "",
                "write_cache": facts.write_cache or "",
                "removed_at": None,
            },
        )
        kept.append(disk)
    machine.disks.filter(~Q(pk__in=[disk.pk for disk in kept]), removed_at=None).update(removed_at=now)
    return kept
