"""Incidents: what is wrong now and was, who looks after it, and what people do about it."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from sla.accounts.models import User
from sla.accounts.permissions import Verb, require
from sla.accounts.selectors import is_noc
from sla.api.errors import Refused
from sla.api.paging import DEFAULT_LIMIT, before_moment, checked_limit, encode_cursor
from sla.incidents import services
from sla.incidents.models import Incident
from sla.incidents.selectors import disks_of_many, incidents_visible_to, narrowed
from sla.incidents.words import Share, events_for, share_of, shares, title_for

router = Router(tags=["incidents"])


class Note(Schema):
    """What a person says about it."""

    note: str = Field("", max_length=services.NOTE_MAX)


def visible_incident(request: HttpRequest, incident_id: int) -> Incident:
    """404 for what does not exist and for what the caller may not see alike."""
    incident = incidents_visible_to(request.user).filter(pk=incident_id).first()
    if incident is None:
        raise Refused(404, "not_found", f"there is no incident {incident_id}")
    return incident


def unix(moment: datetime | None) -> int | None:
    return None if moment is None else int(moment.timestamp())


def item(incident: Incident, user: User, share: Share) -> dict[str, Any]:
    """An incident as lists show it. `share`: what this person may see of it."""
    noc = is_noc(user)
    return {
        "id": incident.pk,
        "kind": incident.kind,
        "severity": incident.severity,
        "state": incident.state,
        "suspected": incident.suspected,
        "title": title_for(incident, user, share),
        "opened_at": unix(incident.opened_at),
        "updated_at": unix(incident.updated_at),
        "resolved_at": unix(incident.resolved_at),
        "acknowledged_at": unix(incident.acknowledged_at),
        "acknowledged_by": str(incident.acknowledged_by) if noc and incident.acknowledged_by else None,
        "disks": share.disks,
        "active_disks": share.active,
        "pool": incident.pool.name if noc and incident.pool else None,
        "machine": incident.machine.hostname if noc and incident.machine else None,
        "customer": incident.customer.name if noc and incident.customer else None,
        "url": incident.get_absolute_url(),
    }


@router.get("", summary="Incidents, newest first")
def incidents(
    request: HttpRequest,
    state: str = "",
    kind: str = "",
    severity: str = "",
    disk: int | None = None,
    limit: int = DEFAULT_LIMIT,
    cursor: str = "",
) -> dict[str, Any]:
    """`state`: open, acknowledged, resolved, or `unresolved` for the first two."""
    known = {
        "state": [*Incident.State.values, "unresolved"],
        "kind": Incident.Kind.values,
        "severity": Incident.Severity.values,
    }
    for name, value in (("state", state), ("kind", kind), ("severity", severity)):
        if value and value not in known[name]:
            raise Refused(422, "bad_value", f"{name} is {value[:40]!r}: one of {', '.join(known[name])}", name)
    found = narrowed(incidents_visible_to(request.user), state=state, kind=kind, severity=severity, disk=disk)
    found = before_moment(found, cursor, "opened_at")
    limit = checked_limit(limit)
    page = list(found.order_by("-opened_at", "-id")[: limit + 1])
    more, page = len(page) > limit, page[:limit]
    mine = shares(page, request.user)
    return {
        "items": [item(one, request.user, mine[one.pk]) for one in page],
        "next_cursor": encode_cursor(page[-1].opened_at.isoformat(), page[-1].pk) if more else None,
    }


@router.get("/{int:incident_id}", summary="One incident, with its disks and history")
def incident(request: HttpRequest, incident_id: int) -> dict[str, Any]:
    """Disks worst first, events oldest first; a customer reads of its own disks only."""
    return detail(visible_incident(request, incident_id), request.user)


def detail(incident: Incident, user: User) -> dict[str, Any]:
    """One incident with everything in it that this person may see."""
    mine = disks_of_many([incident], user)[incident.pk]
    disks = [
        {
            "disk": one.disk_id,
            "device": one.disk.device,
            "machine": one.disk.machine.hostname,
            "customer": one.disk.machine.customer.name,
            "since": unix(one.since),
            "until": unix(one.until),
            "figures": {name: value for name, value in one.figures.items() if is_noc(user) or name != "window"},
        }
        for one in mine
    ]
    events = [{**line, "at": unix(line["at"])} for line in events_for(incident, user, mine)]
    return {**item(incident, user, share_of(mine)), "members": disks, "events": events}


@router.post("/{int:incident_id}/acknowledge", summary="Say that somebody looks after it")
def acknowledge(request: HttpRequest, incident_id: int, body: Note | None = None) -> dict[str, Any]:
    """With an optional `note`. Doing it twice changes nothing; 409 once it is resolved."""
    found = visible_incident(request, incident_id)
    require(request.user, Verb.HANDLE_INCIDENTS)
    try:
        done = services.acknowledge(incident=found, actor=request.user, note=body.note if body else "")
    except services.AlreadyOver as error:
        raise Refused(409, "resolved", str(error)) from error
    return detail(done, request.user)


@router.post("/{int:incident_id}/notes", summary="Write a line into its history")
def note(request: HttpRequest, incident_id: int, body: Note) -> dict[str, Any]:
    """Also of an incident that is over."""
    found = visible_incident(request, incident_id)
    require(request.user, Verb.HANDLE_INCIDENTS)
    try:
        services.add_note(incident=found, actor=request.user, note=body.note)
    except services.OddNote as error:
        raise Refused(422, "bad_value", str(error), "note") from error
    return detail(visible_incident(request, incident_id), request.user)
