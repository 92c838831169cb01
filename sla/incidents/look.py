"""How do these disks look to the rules? Read in a handful of queries, however many disks there are."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import psycopg

from sla.contracts.models import ContractVersion
from sla.domain.contract import Contract
from sla.domain.coverage import judged_from
from sla.domain.incidents.condition import Look
from sla.domain.incidents.lost import firing_lost
from sla.domain.incidents.month import lost_over, period_over
from sla.domain.period import parse_period
from sla.domain.states import State
from sla.fleet.models import Disk
from sla.incidents.recent import Recent, recent
from sla.incidents.shared import shared_by
from sla.scoring.exclusions import windows_between
from sla.scoring.models import DiskNow
from sla.scoring.terms import Assigned, assigned_to, contract_of


@dataclass(frozen=True, slots=True)
class Seen:
    """A disk, how it stands, what the rules see in it, its last minutes and what was promised where they matter."""

    disk: Disk
    now: DiskNow
    look: Look
    recent: Recent | None
    version: ContractVersion | None = None


def looks(
    cursor: "psycopg.Cursor[tuple]",
    disks: Iterable[int],
    now: datetime,
    before: Mapping[int, Collection[str]],
) -> list[Seen]:
    """Of the disks that exist and were ever judged, in order of id. `before`: lost-time rules that held, per disk."""
    found = list(
        Disk.objects.select_related("machine__customer", "machine__agent", "pool", "now")
        .filter(pk__in=list(disks), now__isnull=False)
        .order_by("pk")
    )
    stands = {disk.pk: disk.now for disk in found}
    uneasy = [pk for pk, row in stands.items() if row.acute_at or row.firing or row.lost_ms]
    minutes = _recent(cursor, uneasy, stands, now)
    shared = shared_by(cursor, stands, now)
    moment = now.timestamp()
    muting = windows_between(cursor, stands, moment, moment + 1)
    breached = [pk for pk, row in stands.items() if row.period_state == State.BREACHED]
    assigned = assigned_to(cursor, breached) if breached else {}
    lost = ContractVersion.objects.in_bulk({stands[pk].term for pk in breached}) if breached else {}
    seen = []
    for disk in found:
        row, last = disk.now, minutes.get(disk.pk)
        contract = contract_of(row.term) if row.term else None
        look = Look(
            disk=disk.pk,
            machine=disk.machine_id,
            pool=disk.pool_id,
            customer=disk.machine.customer_id,
            seen_at=_unix(row.seen_at),
            silent=row.state == State.NO_DATA,
            gone=_gone(disk),
            acute_at=_unix(row.acute_at),
            firing=frozenset(row.firing),
            firing_lost=firing_lost(last.lost, contract.objective_ppm, frozenset(before.get(disk.pk, ())))
            if last and contract
            else frozenset(),
            delivered=_delivered(last, contract),
            unavailable=bool(last and last.unavailable),
            proved=bool(last and last.proved),
            period=row.period,
            period_over=_over(row, contract, assigned.get(disk.pk, []), now) if disk.pk in breached else None,
            shared=shared.get(disk.pk),
            mute=any(window.mutes for window in muting.get(disk.pk, ())),
        )
        seen.append(Seen(disk, row, look, last, lost.get(row.term)))
    return seen


def _unix(moment: datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()


def _gone(disk: Disk) -> bool:
    """Was the disk taken away, or its agent shut out?"""
    agent = getattr(disk.machine, "agent", None)
    return disk.removed_at is not None or (agent is not None and agent.revoked_at is not None)


def _recent(
    cursor: "psycopg.Cursor[tuple]", disks: Iterable[int], stands: Mapping[int, DiskNow], now: datetime
) -> dict[int, Recent]:
    """In groups of contracts that count I/Os alike: nearly always one."""
    groups: dict[int, list[int]] = defaultdict(list)
    for disk in disks:
        if term := stands[disk].term:
            groups[contract_of(term).io_unit_bytes].append(disk)
    end = int(now.timestamp()) + 60
    found: dict[int, Recent] = {}
    for unit_bytes, members in groups.items():
        found |= recent(cursor, members, unit_bytes, end)
    return found


def _delivered(last: Recent | None, contract: Contract | None) -> float | None:
    """Share of the contracted load that came through in the minutes that lost time."""
    if last is None or contract is None or not last.observed_s:
        return None
    return last.units / (contract.iops * last.observed_s)


def _over(row: DiskNow, contract: Contract | None, assigned: list[Assigned], now: datetime) -> bool | None:
    """Is the month lost? `LOST_TIME` and `SLOW` are the reasons of the period's own verdict."""
    if contract is None or not row.period:
        return None
    period = parse_period(row.period, contract.zone)
    start, end = period.start.timestamp(), period.end.timestamp()
    first = min((one.start for one in assigned if one.end > start), default=None)
    begin = judged_from(start, first, _unix(row.first_at)) or start
    elapsed = min(1.0, max(0.0, (now.astimezone(UTC).timestamp() - begin) / (end - begin)))
    return period_over(
        breached=True,
        left=(row.budget_left_estimate, row.budget_left_high),
        elapsed=elapsed,
        lost=lost_over(row.lost_ms, end - begin, contract.slow_ppm),
    )
