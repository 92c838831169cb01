"""How is an incident told to whom? The NOC reads its title; a customer reads of their own disks only."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Min, Q

from sla.accounts.models import User
from sla.accounts.selectors import is_noc
from sla.domain.incidents.words import Happened, Kind
from sla.fleet.models import Disk
from sla.fleet.selectors import disks_visible_to
from sla.incidents.models import Incident, IncidentDisk, IncidentEvent
from sla.incidents.selectors import disks_in
from sla.incidents.titles import customers_title

# What happened between the people of the provider is theirs.
INTERNAL = frozenset({Happened.NOTE, Happened.SILENCED, Happened.REMINDED})


@dataclass(frozen=True, slots=True)
class Share:
    """What of an incident somebody may see: how many disks, how many of them now, and one of them."""

    disks: int
    active: int
    first: Disk | None


def share_of(members: list[IncidentDisk]) -> Share:
    """Of the disks that were read already."""
    active = sum(member.until is None for member in members)
    return Share(len(members), active, members[0].disk if members else None)


def shares(incidents: Iterable[Incident], user: User | AnonymousUser) -> dict[int, Share]:
    """For a list: two queries, however many disks are in them."""
    found = {incident.pk: Share(0, 0, None) for incident in incidents}
    rows = IncidentDisk.objects.filter(incident__in=list(found))
    if not is_noc(user):
        rows = rows.filter(disk__in=disks_visible_to(user).order_by().values("pk"))
    counted = list(
        rows.order_by()
        .values_list("incident")
        .annotate(disks=Count("id"), active=Count("id", filter=Q(until=None)), first=Min("disk"))
    )
    names = Disk.objects.select_related("machine").in_bulk([first for *_, first in counted])
    return found | {pk: Share(disks, active, names.get(first)) for pk, disks, active, first in counted}


def title_for(incident: Incident, user: User | AnonymousUser, share: Share | None = None) -> str:
    """Empty where this person may see none of its disks."""
    if is_noc(user):
        return incident.title
    share = shares([incident], user)[incident.pk] if share is None else share
    if share.first is None:
        return ""
    return customers_title(Kind(incident.kind), share.disks, str(share.first), share.first.machine.hostname)


def events_for(
    incident: Incident, user: User | AnonymousUser, mine: list[IncidentDisk] | None = None
) -> list[dict[str, Any]]:
    """The history, oldest first, as this person may read it: `{"at", "kind", "by", "note", "data"}`."""
    lines = incident.events.select_related("actor").order_by("id")
    if is_noc(user):
        return [_line(event, event.data, event.note, _by(event)) for event in lines]
    disks = list(disks_in(incident, user)) if mine is None else mine
    return _for_customer(lines, {one.disk_id for one in disks})


def _for_customer(lines: Any, mine: set[int]) -> list[dict[str, Any]]:
    """Without notes and names of the provider's people, and without a word of others' disks."""
    found = []
    for event in lines:
        named = [disk for disk in event.data.get("disks", []) if disk in mine]
        others_only = event.kind in (Happened.JOINED, Happened.LEFT) and not named
        if event.kind in INTERNAL or others_only:
            continue
        data = {name: event.data[name] for name in ("severity", "suspected", "proved") if name in event.data}
        found.append(_line(event, data | ({"disks": named, "count": len(named)} if named else {}), "", None))
    return found


def _line(event: IncidentEvent, data: dict[str, Any], note: str, by: str | None) -> dict[str, Any]:
    return {"at": event.at, "kind": event.kind, "by": by, "note": note, "data": data}


def _by(event: IncidentEvent) -> str | None:
    return event.actor.get_username() if event.actor else event.data.get("by")
