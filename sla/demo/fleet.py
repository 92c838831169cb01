"""How does the demonstration's cast come into the inventory? By the verbs that everybody uses: enrol, place, assign."""

import secrets
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import numpy as np
from django.db import transaction

from sla.accounts.models import Customer, Membership, User
from sla.accounts.services import record
from sla.contracts.models import Assignment, Contract, ContractVersion, MaintenanceWindow
from sla.contracts.services import Price, add_version, assign
from sla.demo import story
from sla.demo.cast import CUSTOMERS, MEDIA, ZONES, Cast, Member
from sla.demo.past import Fleet
from sla.demo.sides import HYPERVISORS, PROVIDER, VERSION, sides
from sla.fleet.models import Disk, Host, Machine, Pool
from sla.fleet.placement import house_machine, place_disk
from sla.fleet.services import issue_enrolment_key
from sla.scoring import store
from sla.scoring.exclusions import windows_between
from sla.scoring.terms import assigned_to, contract_of
from sla.telemetry.enrol import EnrolRequest, enrol
from sla.telemetry.ingest import boot_key

MACHINE_ID = "demo-{}-{}"  # seed, hostname
BOOT = "demo-boot-{}-{}"  # hostname, when its machine started; OLDER before the slots of the last days
OLDER = -1
AHEAD_S, DAY_S = 14 * 86_400, 86_400
# Birch was promised less on its SSDs until eleven days ago.
WAS_PROMISED, CHANGED_AGO_S = ("Birch", "ssd", "99% < 20 ms at 800 IOPS"), 11 * DAY_S
VIEWER = "alder"


def moment(unix_s: float) -> datetime:
    return datetime.fromtimestamp(unix_s, UTC)


def machines(cast: Cast) -> dict[str, list[Member]]:
    """The members by machine."""
    found: dict[str, list[Member]] = defaultdict(list)
    for member in cast.members:
        found[member.machine].append(member)
    return found


@transaction.atomic
def make(cast: Cast, anchor: int) -> None:
    """Customers, contracts, machines with their agents, disks in their pools, maintenance: as of a month ago."""
    begun = moment(anchor - story.MONTH_S)
    customers = {name: _customer(name, begun) for name in CUSTOMERS}
    versions = {name: _contracts(customers[name]) for name in CUSTOMERS}
    pools = {name: Pool.objects.get_or_create(name=name)[0] for name in cast.names}
    hosts = {name: Host.objects.get_or_create(name=name)[0] for name in {member.host for member in cast.members}}
    enter(cast, datetime.now(UTC))
    disks = found(cast)
    for hostname, members in machines(cast).items():
        house_machine(machine=disks[members[0].number].machine, host=hosts[members[0].host], at=begun)
        for member in members:
            disk = disks[member.number]
            place_disk(disk=disk, pool=pools[member.pool], at=begun)
            _promise(disk, member, versions[member.customer], anchor)
        Machine.objects.filter(machine_id=MACHINE_ID.format(cast.seed, hostname)).update(enrolled_at=begun)
    _move(cast, disks, pools, anchor)
    Disk.objects.filter(pk__in=[disk.pk for disk in disks.values()]).update(first_seen_at=begun)
    keep_maintenance(cast, anchor, anchor)
    record(verb="demonstration made", object_label=f"{len(disks)} disks", actor_label="demo")


def _customer(name: str, since: datetime) -> Customer:
    made, new = Customer.objects.get_or_create(name=name, defaults={"zone": ZONES.get(name, "UTC")})
    if new:
        Customer.objects.filter(pk=made.pk).update(created_at=since)
    return made


def _contracts(customer: Customer) -> dict[str, list[ContractVersion]]:
    """By medium the versions of the customer's contract on it, in order; the SSD contract is its default."""
    made: dict[str, list[ContractVersion]] = {}
    for medium, told in MEDIA.items():
        contract, _ = Contract.objects.get_or_create(
            customer=customer, name=f"{customer.name} {medium}", defaults={"is_default": medium == "ssd"}
        )
        texts = [told.contract]
        if (customer.name, medium) == WAS_PROMISED[:2]:
            texts.insert(0, WAS_PROMISED[2])
        for text in texts:
            add_version(contract=contract, text=text, price=Price(told.fee_cents, "EUR"))
        made[medium] = list(contract.versions.order_by("number"))
    return made


def _promise(disk: Disk, member: Member, versions: dict[str, list[ContractVersion]], anchor: int) -> None:
    """Its contract, from its first frame; where the terms were others before, both."""
    Assignment.objects.filter(disk=disk).delete()  # of the default contract, just given and never used
    own = versions[member.pool.partition("-")[0]]
    assign(disk=disk, version=own[0], at=None)
    for later in own[1:]:
        assign(disk=disk, version=later, at=moment((anchor - CHANGED_AGO_S) // DAY_S * DAY_S))


def _move(cast: Cast, disks: dict[int, Disk], pools: dict[str, Pool], anchor: int) -> None:
    if {story.MOVED_FROM, story.MOVED_TO} <= pools.keys():
        moved = cast.in_pool(story.MOVED_FROM)[story.MOVED_PLACE]
        place_disk(disk=disks[moved.number], pool=pools[story.MOVED_TO], at=moment(story.moved_at(anchor)))


def keep_maintenance(cast: Cast, anchor: int, now: int) -> None:
    """Planned windows, of the past month and of what comes; those that are there already stay as they are."""
    pool = Pool.objects.filter(name=story.MAINTAINED).first()
    if pool is None or story.MAINTAINED not in cast.names:
        return
    for start in story.maintenance(anchor, anchor - story.MONTH_S, now + AHEAD_S):
        if not pool.maintenance_windows.filter(starts_at=moment(start)).exists():
            window = MaintenanceWindow.objects.create(
                starts_at=moment(start), ends_at=moment(start + story.MAINTENANCE_S), mutes=True, excludes=True,
                reason="firmware of the storage controllers",
            )  # fmt: skip
            window.pools.add(pool)


def enter(cast: Cast, now: datetime, started: int = 0) -> dict[str, str]:
    """Enrol every machine and the hypervisors that have an agent, again where they are known; tokens by hostname."""
    keys = {
        name: issue_enrolment_key(
            customer=Customer.objects.get(name=name), name="demonstration", uses=1_000, lifetime=timedelta(hours=1)
        )
        for name in {member.customer for member in cast.members}
    }
    guests = {
        hostname: enrol(
            secret=keys[members[0].customer], request=_request(cast, hostname, members, started), now=now
        ).agent_token
        for hostname, members in machines(cast).items()
    }
    return guests | _enter_hypervisors(cast, now, started)


def _enter_hypervisors(cast: Cast, now: datetime, started: int) -> dict[str, str]:
    """They have no disks of their own here, and stand where their guests are."""
    names = sorted({side.member.host for side in sides(cast).values()})
    if not names:
        return {}
    provider = Customer.objects.get_or_create(name=PROVIDER)[0]
    key = issue_enrolment_key(
        customer=provider, name="hypervisors", uses=100, lifetime=timedelta(hours=1), for_hypervisors=True
    )
    tokens = {}
    for name in names:
        described = {
            "machine_id": MACHINE_ID.format(cast.seed, name),
            "hostname": name,
            "boot_id": BOOT.format(name, started),
            "agent_version": VERSION,
            "disks": [],
        }
        tokens[name] = enrol(secret=key, request=msgspec.convert(described, EnrolRequest), now=now).agent_token
        machine = Machine.objects.select_related("host").get(machine_id=described["machine_id"])
        host = Host.objects.get_or_create(name=name)[0]
        if machine.host != host:
            house_machine(machine=machine, host=host, at=now)
    return tokens


def _request(cast: Cast, hostname: str, members: list[Member], started: int) -> EnrolRequest:
    described: dict[str, Any] = {
        "machine_id": MACHINE_ID.format(cast.seed, hostname),
        "hostname": hostname,
        "boot_id": BOOT.format(hostname, started),
        "agent_version": members[0].version,
        "virtualisation": "kvm",
        "disks": [
            {"device": m.device, "serial": m.serial, "size_bytes": m.size_bytes, "scheduler": "none"} for m in members
        ],
    }
    return msgspec.convert(described, EnrolRequest)


def found(cast: Cast) -> dict[int, Disk]:
    """The cast's disks in the database, by number."""
    by_name = {(member.machine, member.device): member.number for member in cast.members}
    disks = Disk.objects.select_related("machine__customer").filter(
        machine__machine_id__startswith=f"demo-{cast.seed}-"
    )
    return {by_name[disk.machine.hostname, disk.device]: disk for disk in disks}


def is_made(cast: Cast) -> bool:
    """Has the cast entered already?"""
    return Machine.objects.filter(machine_id__startswith=f"demo-{cast.seed}-").exists()


def fleet_of(cast: Cast, anchor: int, until: int, started: int = 0) -> Fleet:
    """The cast with the ids, terms and windows of the database, for spans that end by `until`."""
    disks = found(cast)
    ids = [disks[number].pk for number in range(len(cast.members))]
    with store.reading() as cursor:
        assigned = assigned_to(cursor, ids)
        windows = windows_between(cursor, ids, anchor - story.MONTH_S - DAY_S, until)
    return Fleet(
        cast=cast,
        anchor=anchor,
        disks=np.array(ids, np.int64),
        boots=np.array([boot_key(BOOT.format(member.machine, started)) for member in cast.members], np.int64),
        hypervisors={name: boot_key(BOOT.format(name, started)) for name in HYPERVISORS},
        terms=[[(one.term, contract_of(one.term), one.start, one.end) for one in assigned[disk]] for disk in ids],
        windows=windows,
        silent=silent(cast),
    )


def silent(cast: Cast) -> frozenset[int]:
    """Numbers of the disks whose agent has fallen silent: of a whole machine."""
    if story.SILENT_POOL not in cast.names:
        return frozenset()
    machine = cast.in_pool(story.SILENT_POOL)[story.SILENT_PLACE].machine
    return frozenset(member.number for member in cast.members if member.machine == machine)


@transaction.atomic
def viewer(name: str = "Alder") -> tuple[str, str]:
    """A person of one customer to log in as: user name and new password.

    They and the NOC get addresses of a domain that is nobody's, so that the outbox has mail to look at.
    """
    user, _ = User.objects.get_or_create(username=VIEWER, defaults={"email": f"{VIEWER}@example.com"})
    User.objects.filter(username="noc", email="").update(email="noc@example.com")
    password = secrets.token_urlsafe(15)
    user.set_password(password)
    user.save()
    Membership.objects.get_or_create(user=user, customer=Customer.objects.get(name=name))
    return user.username, password
