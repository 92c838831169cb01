"""What an agent tells of its active tests: kept once, witnessed in order, with a line in the audit trail."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import msgspec
from django.db import transaction
from django.db.models import QuerySet

from sla.accounts.services import record as audit
from sla.fleet.models import Disk, Machine
from sla.probes.check import Implausible, check, check_verdict
from sla.probes.models import Probe, Record
from sla.probes.shapes import MOST_BLOCKS, Acks, Durability, Result, Verdict

# Somebody tries disks by hand; a loop that does so is no test any more. Each result is 20 KB at most.
MOST_AN_HOUR = 60
# Of one disk; the oldest go. A test a week for four years.
MOST_KEPT = 200
OUTSIDE_SAID = {"id", "kind", "started_at", "ended_at", "device", "serial", "wwn"}


class Conflict(Exception):
    """Something else is known under this id, or acknowledgements are out of order."""


class TooMany(Exception):
    """This machine has told more tests within the hour than anybody makes."""


class NoSuchProbe(Exception):
    """This machine has no such test."""


def _moment(unix: float) -> datetime:
    return datetime.fromtimestamp(unix, UTC)


@transaction.atomic
def keep(*, machine: Machine, disk: Disk, result: Result, now: datetime) -> tuple[Probe, bool]:
    """(the test, is it new). Told again it is the same one. Implausible, Conflict, TooMany."""
    check(result, now.timestamp())
    Machine.objects.select_for_update(no_key=True).get(pk=machine.pk)
    of_machine = Probe.objects.filter(disk__machine=machine)
    plain = msgspec.json.decode(msgspec.json.encode(result))  # as JSON keeps it, to be held against what was kept
    said = {name: value for name, value in plain.items() if name not in OUTSIDE_SAID}
    ended = None if isinstance(result, Durability) else _moment(result.ended_at)
    known = of_machine.filter(uid=UUID(result.id)).first()
    if known is not None:
        if (known.disk_id, known.said, known.started_at) != (disk.pk, said, _moment(result.started_at)):
            raise Conflict(f"probe {result.id}: another test is known under this id")
        return known, False
    if of_machine.filter(received_at__gt=now - timedelta(hours=1)).count() >= MOST_AN_HOUR:
        raise TooMany(f"this machine has told {MOST_AN_HOUR} tests within an hour")
    kind = msgspec.inspect.type_info(type(result)).tag
    started = _moment(result.started_at)
    probe = Probe.objects.create(
        disk=disk, uid=UUID(result.id), kind=kind, started_at=started, ended_at=ended, received_at=now, said=said
    )
    if isinstance(result, Durability):
        Record.objects.create(probe=probe, target=result.target)
    _forget_oldest(disk)
    _trail(machine, disk, f"active test told: {probe.get_kind_display()}", {"id": result.id})
    return probe, True


def _forget_oldest(disk: Disk) -> None:
    oldest = Probe.objects.filter(disk=disk).order_by("-started_at", "-id").values("pk")[MOST_KEPT:]
    Probe.objects.filter(pk__in=list(oldest.values_list("pk", flat=True))).delete()


def _trail(machine: Machine, disk: Disk, verb: str, after: dict[str, object]) -> None:
    audit(
        verb=verb,
        object_label=str(disk),
        actor_label=f"agent of {machine.hostname}",
        customer=machine.customer,
        after=after,
    )


def records_of(machine: Machine) -> QuerySet[Record]:
    """The durability tests of a machine, newest first."""
    records = Record.objects.filter(probe__disk__machine=machine).select_related("probe__disk__machine")
    return records.order_by("-probe__started_at", "-probe_id")


def find_record(machine: Machine, uid: str) -> Record:
    """NoSuchProbe."""
    record = records_of(machine).filter(probe__uid=UUID(uid)).first()
    if record is None:
        raise NoSuchProbe(f"this machine has no durability test {uid}")
    return record


@transaction.atomic
def acknowledge(*, machine: Machine, uid: str, acks: Acks, now: datetime) -> int:
    """Blocks acknowledged so far. What was told before is harmless, a hole is a Conflict. NoSuchProbe, Implausible."""
    record = _held(machine, uid)
    if acks.first + acks.count > MOST_BLOCKS:
        raise Implausible("count", f"a durability test has at most {MOST_BLOCKS} blocks")
    after = acks.first + acks.count
    if acks.first > record.acknowledged:
        raise Conflict(f"first is {acks.first}, but only {record.acknowledged} blocks are acknowledged: none may miss")
    if after > record.acknowledged:
        if record.checked_at is not None or record.probe.ended_at is not None:
            raise Conflict(f"durability test {uid} has ended: nothing more is acknowledged")
        record.acknowledged, record.acknowledged_at = after, now
        record.save(update_fields=["acknowledged", "acknowledged_at"])
    if acks.ended and record.probe.ended_at is None:
        Probe.objects.filter(pk=record.probe_id).update(ended_at=max(now, record.probe.started_at))
    return record.acknowledged


@transaction.atomic
def judge(*, machine: Machine, uid: str, verdict: Verdict, now: datetime) -> Record:
    """Keep what was found; the first look after a restart stands. NoSuchProbe, Implausible, Conflict."""
    record = _held(machine, uid)
    check_verdict(verdict, record.acknowledged)
    probe, missing = record.probe, [list(run) for run in verdict.missing]
    if record.restarted:
        if (record.lost, record.missing) == (verdict.lost, missing):
            return record
        # Who deletes the file afterwards has not found a disk that lies.
        raise Conflict(f"durability test {uid} was judged already: {record.lost} blocks lost")
    record.restarted = bool(verdict.boot_id) and verdict.boot_id != probe.said["boot_id"]
    record.checked_at = max(probe.started_at, min(now, _moment(verdict.checked_at)))
    record.lost, record.missing = verdict.lost, missing
    record.save()
    if probe.ended_at is None:
        Probe.objects.filter(pk=probe.pk).update(ended_at=max(probe.started_at, record.acknowledged_at or now))
    found = {"id": uid, "acknowledged": record.acknowledged, "lost": record.lost, "restarted": record.restarted}
    _trail(machine, probe.disk, "durability test verified", found)
    return record


def _held(machine: Machine, uid: str) -> Record:
    found = records_of(machine).select_for_update(no_key=True, of=("self",)).filter(probe__uid=UUID(uid)).first()
    if found is None:
        raise NoSuchProbe(f"this machine has no durability test {uid}")
    return found
