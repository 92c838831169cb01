"""How is an incident told to whom? The NOC reads its title; a customer reads of their own disks only."""

from typing import Any

from django.contrib.auth.models import AnonymousUser

from sla.accounts.models import User
from sla.accounts.selectors import is_noc
from sla.domain.incidents.title import silent_title, title
from sla.domain.incidents.words import Happened, Kind
from sla.incidents.models import Incident, IncidentDisk, IncidentEvent
from sla.incidents.selectors import disks_in

# What happened between the people of the provider is theirs.
INTERNAL = frozenset({Happened.NOTE, Happened.SILENCED, Happened.REMINDED})


def title_for(incident: Incident, user: User | AnonymousUser, mine: list[IncidentDisk] | None = None) -> str:
    """`mine`: the disks this person may see, where they are read already."""
    if is_noc(user):
        return incident.title
    disks = list(disks_in(incident, user)) if mine is None else mine
    if not disks:
        return ""
    if incident.kind == Incident.Kind.SILENT:
        return silent_title(disks[0].disk.machine.hostname)
    if len(disks) > 1:
        return title(Kind(incident.kind), len(disks), "", "of yours")
    return title(Kind(incident.kind), 1, str(disks[0].disk), "")


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
