"""Which open incidents do these disks concern? Found, locked, and made where there is none."""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Q

from sla.domain.incidents import calm
from sla.domain.incidents.condition import Condition
from sla.domain.incidents.group import WIDE, choose, in_the_way, is_wide, own_key, shared_key, site_of
from sla.domain.incidents.words import Happened
from sla.incidents.cases import Case, suffers_wider
from sla.incidents.look import Seen
from sla.incidents.models import Incident, IncidentDisk

SLOW = "slow:"


def family_of(key: str) -> str:
    """'slow:pool:7' is of the family slow."""
    return key.partition(":")[0]


def site_of_incident(incident: Incident) -> str:
    """What its disks share: as `site_of` a disk, for slow ones; nothing for the others."""
    if not incident.key.startswith(SLOW) or (incident.pool_id is None and incident.machine_id is None):
        return ""
    return site_of(incident.pool_id, incident.machine_id or 0)


def load(disks: Collection[int], sites: Collection[str], *, wider: bool) -> list[Case]:
    """Open incidents that hold any of these disks, the slow ones of these sites, and, if asked for, those whose cause
    lies above several pools; locked in order of id."""
    pools = [int(site.split(":")[1]) for site in sites if site.startswith("pool:")]
    machines = [int(site.split(":")[1]) for site in sites if site.startswith("machine:")]
    holding = IncidentDisk.objects.filter(disk__in=disks, until=None).values("incident")
    above = IncidentDisk.objects.filter(figures__cause="wider", until=None).values("incident") if wider else ()
    incidents = list(
        Incident.objects.select_for_update(of=("self",))
        .select_related("pool", "machine", "customer")
        .exclude(state=Incident.State.RESOLVED)
        .filter(
            Q(pk__in=holding)
            | Q(pk__in=above)
            | Q(key__startswith=SLOW, pool__in=pools)
            | Q(key__startswith=SLOW, pool=None, machine__in=machines)
        )
        .order_by("pk")
    )
    return with_members(incidents)


def with_members(incidents: Iterable[Incident]) -> list[Case]:
    """Cases of locked incidents."""
    cases = {incident.pk: Case(incident, site_of_incident(incident), {}) for incident in incidents}
    members = IncidentDisk.objects.select_related("disk__machine__customer").filter(incident__in=list(cases))
    for member in members.order_by("pk"):
        cases[member.incident_id].members[member.disk_id] = member
    for case in cases.values():
        case.active_ids = {member.disk_id for member in case.active}
        case.wider = any(suffers_wider(member) for member in case.active)
        case.was_wide = is_wide(case.group)
    return list(cases.values())


def case_for(cases: list[Case], seen: Seen, condition: Condition, now: datetime) -> Case:
    """The incident that takes this disk's trouble: one that is open, one that comes back, or a new one."""
    if condition.family == "slow":
        return _slow_case(cases, seen, condition, now)
    if condition.family == "silent":
        key, place = f"silent:machine:{seen.look.machine}", {"machine": seen.disk.machine}
    else:
        customer = seen.disk.machine.customer
        key, place = f"period:customer:{customer.pk}:{seen.look.period}", {"customer": customer}
    found = next((case for case in cases if case.incident.key == key), None)
    return found or _back_or_new(cases, key, condition, now, place)


def _slow_case(cases: list[Case], seen: Seen, condition: Condition, now: datetime) -> Case:
    site = site_of(seen.look.pool, seen.look.machine)
    groups = [case.group for case in cases if case.incident.key.startswith(SLOW)]
    chosen = choose(groups, seen.disk.pk, site, now.timestamp(), wider=seen.look.wider)
    if chosen is not None:
        return next(case for case in cases if case.incident.pk == chosen.incident)
    place = {"pool": seen.disk.pool} if seen.look.pool is not None else {"machine": seen.disk.machine}
    back = _last_of(seen, site, now)
    if back is not None:
        return _reopen(cases, back, site)
    older = in_the_way(groups, site)
    if older is not None:
        _narrow(cases, next(case for case in cases if case.incident.pk == older.incident))
    return _back_or_new(cases, shared_key(site), condition, now, place, back=False)


def _narrow(cases: list[Case], case: Case) -> None:
    """It stayed with its few disks: it gives the site's key to the newer trouble."""
    case.incident.key = _free_key(cases, case)
    case.incident.save(update_fields=["key"])


def _free_key(cases: list[Case], case: Case) -> str:
    """Of one of its disks; where an older incident that the disk has left goes on under that, of its own number."""
    taken = {other.incident.key for other in cases if other is not case}
    disks = sorted(case.active_ids) or sorted(case.members)
    return next((own_key(disk) for disk in disks if own_key(disk) not in taken), f"slow:incident:{case.incident.pk}")


def _last_of(seen: Seen, site: str, now: datetime) -> Incident | None:
    """The slow incident of this disk, or of its whole site, that was resolved a moment ago."""
    since = now - timedelta(seconds=calm.REOPEN_S)
    recent = Incident.objects.filter(
        state=Incident.State.RESOLVED, key__startswith=SLOW, resolved_at__gt=since
    ).order_by("-resolved_at")
    for incident in recent.filter(Q(disks__disk=seen.disk) | Q(key=shared_key(site))).distinct():
        wide = incident.figures.get("disks", 0) >= WIDE
        if (wide and incident.key == shared_key(site)) or incident.disks.filter(disk=seen.disk).exists():
            return incident
    return None


def _reopen(cases: list[Case], incident: Incident, site: str) -> Case:
    """The same trouble again. Where its key was taken meanwhile it goes on under its disk's own."""
    locked = (
        Incident.objects.select_for_update(of=("self",))
        .select_related("pool", "machine", "customer")
        .get(pk=incident.pk)
    )
    case = with_members([locked])[0]
    locked.state, locked.resolved_at, locked.quiet_at = Incident.State.OPEN, None, None
    locked.acknowledged_by = locked.acknowledged_at = None
    locked.reopened += 1
    case.began = Happened.REOPENED
    if any(other.incident.key == locked.key for other in cases):
        locked.key = _free_key(cases, case)
    locked.save()
    cases.append(case)
    return case


def _back_or_new(
    cases: list[Case], key: str, condition: Condition, now: datetime, place: dict, *, back: bool = True
) -> Case:
    """The incident of this key: the one that somebody else has just opened, the one that was just resolved, or new."""
    if back:
        since = now - timedelta(seconds=calm.REOPEN_S)
        last = Incident.objects.filter(key=key, state=Incident.State.RESOLVED, resolved_at__gt=since)
        if (found := last.order_by("-resolved_at").first()) is not None:
            return _reopen(cases, found, "")
    try:
        with transaction.atomic():
            incident = Incident.objects.create(
                kind=condition.kind,
                key=key,
                severity=condition.severity,
                suspected=condition.suspected,
                opened_at=now,
                updated_at=now,
                joined_at=now,
                **place,
            )
        case = Case(incident, site_of_incident(incident), {}, began=Happened.OPENED)
    except IntegrityError:
        # Another worker opened it between our look and now: this one joins.
        locked = (
            Incident.objects.select_for_update(of=("self",))
            .select_related("pool", "machine", "customer")
            .exclude(state=Incident.State.RESOLVED)
            .get(key=key)
        )
        case = with_members([locked])[0]
    cases.append(case)
    return case
