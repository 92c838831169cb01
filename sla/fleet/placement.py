"""Verbs on the topology: a disk comes to lie in a pool, a machine to run on a host, each from a moment on."""

from datetime import datetime
from typing import Any

from django.db import transaction

from sla.accounts.models import User
from sla.accounts.services import record
from sla.fleet.hosted import tell_again
from sla.fleet.inventory_plan import Plan
from sla.fleet.models import Disk, Host, Machine, Pool, PoolMembership


@transaction.atomic
def place_disk(*, disk: Disk, pool: Pool, at: datetime, actor: User | None = None) -> PoolMembership:
    """From `at` the disk lies in the pool; where it lay before it stays in its history. ValueError where it was placed
    later than that already."""
    disk = Disk.objects.select_for_update(of=("self",)).select_related("machine__customer", "pool").get(pk=disk.pk)
    running = PoolMembership.objects.filter(disk=disk, valid_to=None).first()
    if running is not None and running.valid_from >= at:
        raise ValueError(f"{disk} lies in {running.pool} since {running.valid_from:%F %H:%M} UTC: give a later moment")
    before = disk.pool.name if disk.pool else None
    if running is not None:
        running.valid_to = at
        running.save(update_fields=["valid_to"])
    made = PoolMembership.objects.create(disk=disk, pool=pool, valid_from=at)
    Disk.objects.filter(pk=disk.pk).update(pool=pool)
    record(
        verb="disk placed",
        object_label=str(disk),
        actor=actor,
        customer=disk.machine.customer,
        before={"pool": before},
        after={"pool": pool.name, "since": at.isoformat()},
    )
    return made


def house_machine(*, machine: Machine, host: Host, at: datetime, actor: User | None = None) -> None:
    """The machine runs on the host from `at` on."""
    before = machine.host.name if machine.host else None
    with transaction.atomic():
        Machine.objects.filter(pk=machine.pk).update(host=host, host_before=machine.host_id, housed_at=at)
        tell_again(machine.pk, [machine.host_id])
        record(
            verb="machine housed",
            object_label=str(machine),
            actor=actor,
            customer=machine.customer,
            before={"host": before},
            after={"host": host.name, "since": at.isoformat()},
        )


@transaction.atomic
def carry_out(plan: Plan, *, actor: User | None = None) -> int:
    """Do what a plan says, all of it or nothing; how many things changed. Pools and hosts that are new are made."""
    pools = _named(Pool, {move.pool for move in plan.moves})
    hosts = _named(Host, {housing.host for housing in plan.housings})
    for move in plan.moves:
        place_disk(disk=move.disk, pool=pools[move.pool], at=move.since, actor=actor)
    for housing in plan.housings:
        house_machine(machine=housing.machine, host=hosts[housing.host], at=housing.since, actor=actor)
    # What was only inferred is known now.
    Pool.objects.filter(pk__in=[pool.pk for pool in pools.values()], inferred=True).update(inferred=False)
    return plan.changes


def _named(model: type[Pool] | type[Host], names: set[str]) -> dict[str, Any]:
    found: dict[str, Any] = {one.name: one for one in model.objects.filter(name__in=names)}
    for name in names - found.keys():
        found[name] = model.objects.create(name=name)
    return found
