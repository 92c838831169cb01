"""An open incident while it is being judged: who joins, who leaves, what becomes of it; then written in one go."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sla.domain.incidents import calm
from sla.domain.incidents.condition import Condition
from sla.domain.incidents.group import Group, is_wide, kind_of
from sla.domain.incidents.title import silent_title, title
from sla.domain.incidents.words import APART_KINDS, Happened, Kind, Severity
from sla.incidents.credit_due import credit_due
from sla.incidents.history import record_event
from sla.incidents.look import Seen
from sla.incidents.models import Incident, IncidentDisk

# Names of disks that a line of the history carries; the others are counted.
NAMED = 500
# What of a disk's figures decides about its incident.
REASONS = ("kind", "severity", "suspected", "firing", "firing_lost", "period", "window", "cause")
# What is of its last minutes only.
LATELY = ("slow", "eligible", "delivered_ratio")


@dataclass(slots=True)
class Case:
    """`members`: every disk that ever was in it; the lists hold what this judging changes."""

    incident: Incident
    site: str
    members: dict[int, IncidentDisk]
    began: Happened | None = None
    was_wide: bool = False
    # A disk in it suffers from what lies above several pools.
    wider: bool = False
    # Kept beside `members`: grouping asks for it once a disk.
    active_ids: set[int] = field(default_factory=set)
    joined: list[IncidentDisk] = field(default_factory=list)
    left: list[IncidentDisk] = field(default_factory=list)
    changed: list[IncidentDisk] = field(default_factory=list)

    @property
    def active(self) -> list[IncidentDisk]:
        return [member for member in self.members.values() if member.until is None]

    @property
    def group(self) -> Group:
        """As the rules of grouping see it."""
        return Group(
            incident=self.incident.pk,
            key=self.incident.key,
            site=self.site,
            joined_at=self.incident.joined_at.timestamp(),
            active=self.active_ids,
            total=len(self.members),
            wider=self.wider,
        )

    def join(self, seen: Seen, condition: Condition, now: datetime) -> None:
        """The disk is in it from now on (again)."""
        member = self.members.get(seen.disk.pk)
        if member is None:
            since = min(now, datetime.fromtimestamp(condition.since, UTC))
            member = IncidentDisk(incident=self.incident, disk=seen.disk, since=since)
            self.members[seen.disk.pk] = member
        member.disk, member.until = seen.disk, None
        member.figures = figures(seen, condition)
        self.wider |= suffers_wider(member)
        self.joined.append(member)
        self.active_ids.add(seen.disk.pk)
        self.incident.joined_at, self.incident.quiet_at = now, None

    def keep(self, seen: Seen, condition: Condition) -> None:
        """It still holds: with these figures."""
        member, fresh = self.members[seen.disk.pk], figures(seen, condition)
        # Figures move with every frame; they are written down once a minute, what they mean at once.
        if member.figures.get("minute") == fresh["minute"] and all(member.figures[k] == fresh[k] for k in REASONS):
            return
        if not fresh["eligible"]:
            # Nothing was seen of it lately: what was seen last still says what is wrong.
            fresh |= {name: member.figures.get(name) for name in LATELY}
        if member.figures != fresh:
            member.figures = fresh
            self.wider |= suffers_wider(member)
            self.changed.append(member)

    def leave(self, disk: int, now: datetime) -> None:
        """Nothing of it holds for this disk any more."""
        member = self.members[disk]
        member.until = max(now, member.since)
        self.left.append(member)
        self.active_ids.discard(disk)


def suffers_wider(member: IncidentDisk) -> bool:
    """From what lies above several pools?"""
    return bool(member.figures.get("cause") == "wider")


def figures(seen: Seen, condition: Condition) -> dict[str, Any]:
    """What is kept of a disk in an incident: why it is there, and how it stood when last looked at."""
    row, last = seen.now, seen.recent
    return {
        "kind": condition.kind,
        "severity": condition.severity,
        "suspected": condition.suspected,
        "minute": int(row.slot_start.timestamp()) if row.slot_start else None,
        "firing": sorted(seen.look.firing),
        "firing_lost": sorted(seen.look.firing_lost),
        "period": seen.look.period,
        "sli": [row.sli_low, row.sli_estimate, row.sli_high],
        "budget_left_ratio": row.budget_left_estimate,
        "burn_rate": row.burn_rate,
        "await_ms": row.await_ms,
        "iops": row.iops,
        "slow": last.slow if last else None,
        "eligible": last.eligible if last else None,
        "delivered_ratio": seen.look.delivered,
        "unavailable": seen.look.unavailable,
        "lost_s": round(max((lost for lost, _ in last.lost.values()), default=0) / 1000, 1) if last else None,
        "window": seen.look.shared.window if seen.look.shared else None,
        "cause": seen.look.shared.cause if seen.look.shared else None,
        **({"credit": credit_due(row, seen.version)} if condition.kind is Kind.PERIOD else {}),
    }


def settle_case(case: Case, now: datetime) -> None:
    """Write what changed and say so, in the order in which it happened."""
    incident, active = case.incident, case.active
    before = (incident.kind, incident.severity, incident.suspected, incident.title)
    _write_members(case)
    if active:
        _judge(incident, case, active)
    elif incident.quiet_at is None:
        incident.quiet_at = now
    incident.figures = {**incident.figures, **_counts(case, active)}
    said = False
    if case.began is not None:
        record_event(incident, case.began, now, data=_named(case.joined) | _state_of(incident))
        said = True
    elif case.joined:
        widened = is_wide(case.group) and not case.was_wide
        record_event(incident, Happened.JOINED, now, data=_named(case.joined) | {"wide": widened})
        said = True
    if case.began is None:
        said |= _escalate(incident, before, now)
    quiet = incident.quiet_at is not None
    over = quiet and calm.is_over(incident.quiet_at.timestamp(), incident.reopened, now.timestamp())
    if case.left and not over:
        record_event(incident, Happened.LEFT, now, data=_named(case.left))
        said = True
    if over:
        incident.state, incident.resolved_at = Incident.State.RESOLVED, now
        record_event(incident, Happened.RESOLVED, now, data=_named(case.left) | _state_of(incident))
    elif not said and (case.changed or before != _facts(incident)):
        incident.save()


def _facts(incident: Incident) -> tuple[Any, ...]:
    return (incident.kind, incident.severity, incident.suspected, incident.title)


def _judge(incident: Incident, case: Case, active: list[IncidentDisk]) -> None:
    """Kind, severity, certainty and title from the disks in it. Severity and certainty only rise while it lasts."""
    marks = [member.figures for member in active]
    worst = max((Severity(mark["severity"]) for mark in marks), key=lambda one: one.weight)
    fresh = case.began is not None
    if fresh or worst.weight > Severity(incident.severity).weight:
        incident.severity = worst
    incident.suspected = all(mark["suspected"] for mark in marks) and (fresh or incident.suspected)
    kinds = {Kind(mark["kind"]) for mark in marks}
    shared = None if kinds & APART_KINDS else next((mark for mark in marks if mark["cause"]), None)
    kind = kind_of(kinds, shared["cause"] if shared else None, wide=is_wide(case.group))
    incident.kind = kind or incident.kind
    if shared:
        incident.figures = {**incident.figures, "window": shared["window"], "cause": shared["cause"]}
    incident.title = _title(incident, case)


def _title(incident: Incident, case: Case) -> str:
    """As the NOC reads it."""
    first = next(iter(case.members.values())).disk
    kind = Kind(incident.kind)
    if kind is Kind.SILENT:
        return silent_title(first.machine.hostname)[:300]
    place = f"of {incident.customer}" if kind is Kind.PERIOD else _place(case)
    return title(kind, len(case.members), str(first), place)[:300]


def _place(case: Case) -> str:
    incident = case.incident
    if incident.pool_id and any(member.disk.pool_id != incident.pool_id for member in case.members.values()):
        return "of several pools"
    if incident.pool:
        return f"of pool {incident.pool}"
    return f"of {incident.machine}" if incident.machine else ""


def _escalate(incident: Incident, before: tuple[Any, ...], now: datetime) -> bool:
    """It got worse, certain, or is now known to be something else. What was acknowledged was less: it is open again."""
    kind, severity, suspected, _ = before
    data: dict[str, Any] = {}
    if incident.severity != severity:
        data["severity"] = [severity, incident.severity]
        incident.state = Incident.State.OPEN
    if suspected and not incident.suspected:
        data["proved"] = True
    if incident.kind != kind:
        data["kind"] = [kind, incident.kind]
    if data:
        record_event(incident, Happened.ESCALATED, now, data=data)
    return bool(data)


def _write_members(case: Case) -> None:
    touched = {member.disk_id: member for member in (*case.joined, *case.left, *case.changed)}
    new = [member for member in touched.values() if member.pk is None]
    old = [member for member in touched.values() if member.pk is not None]
    IncidentDisk.objects.bulk_create(new)
    if old:
        IncidentDisk.objects.bulk_update(old, ["since", "until", "figures"], batch_size=500)


def _counts(case: Case, active: list[IncidentDisk]) -> dict[str, Any]:
    customers = {member.disk.machine.customer_id for member in case.members.values()}
    return {"disks": len(case.members), "active": len(active), "customers": len(customers)}


def _named(members: list[IncidentDisk]) -> dict[str, Any]:
    """Which disks a line is about."""
    return {"disks": [member.disk_id for member in members][:NAMED], "count": len(members)}


def _state_of(incident: Incident) -> dict[str, Any]:
    return {"kind": incident.kind, "severity": incident.severity, "suspected": incident.suspected}
