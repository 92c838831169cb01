"""Which incidents may somebody see, and what of them?"""

from collections.abc import Iterable
from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from sla.accounts.models import User
from sla.accounts.selectors import customers_visible_to, is_noc
from sla.fleet.selectors import disks_visible_to
from sla.incidents.models import Incident, IncidentDisk, Silence

UNRESOLVED = "unresolved"


def incidents_visible_to(user: User | AnonymousUser) -> QuerySet[Incident]:
    """All for the NOC; for a customer's people those with a disk of theirs in them; none for a stranger.

    What the product says of itself (kind watcher) is for the NOC. Which pool, which other disks and who else is hit
    is not for customers: show them `disks_in(incident, user)` and `words.title_for(incident, user)`.
    """
    incidents = Incident.objects.select_related("pool", "machine", "customer", "acknowledged_by")
    if is_noc(user):
        return incidents
    mine = IncidentDisk.objects.filter(incident=OuterRef("pk"), disk__machine__customer__in=customers_visible_to(user))
    return incidents.filter(Exists(mine)).exclude(kind=Incident.Kind.WATCHER)


def disks_in(incident: Incident, user: User | AnonymousUser) -> QuerySet[IncidentDisk]:
    """The disks of an incident that this person may see, joined with machine, customer, pool and standing."""
    found = incident.disks.select_related("disk__machine__customer", "disk__pool", "disk__now")
    return found if is_noc(user) else found.filter(disk__in=disks_visible_to(user))


def disks_of_many(incidents: Iterable[Incident], user: User | AnonymousUser) -> dict[int, list[IncidentDisk]]:
    """The same for a page of incidents, in one query: those still in it first, then by who was hit first."""
    found: dict[int, list[IncidentDisk]] = {incident.pk: [] for incident in incidents}
    rows = IncidentDisk.objects.select_related("disk__machine__customer", "disk__pool").filter(incident__in=list(found))
    if not is_noc(user):
        rows = rows.filter(disk__in=disks_visible_to(user).order_by().values("pk"))
    for row in rows.order_by(F("until").asc(nulls_first=True), "since", "id"):
        found[row.incident_id].append(row)
    return found


def narrowed(
    incidents: QuerySet[Incident],
    *,
    state: str = "",
    kind: str = "",
    severity: str = "",
    disk: int | None = None,
) -> QuerySet[Incident]:
    """By what a list is asked for. `state` 'unresolved': open or acknowledged."""
    if state == UNRESOLVED:
        incidents = incidents.filter(open_now())
    elif state:
        incidents = incidents.filter(state=state)
    if kind:
        incidents = incidents.filter(kind=kind)
    if severity:
        incidents = incidents.filter(severity=severity)
    if disk is not None:
        incidents = incidents.filter(pk__in=IncidentDisk.objects.filter(disk=disk).values("incident"))
    return incidents


def silences_at(moment: datetime) -> QuerySet[Silence]:
    """Those that hold then."""
    return Silence.objects.filter(cancelled_at=None, starts_at__lte=moment, ends_at__gt=moment)


def open_now() -> Q:
    """Not over yet."""
    return ~Q(state=Incident.State.RESOLVED)
