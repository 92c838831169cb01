"""One incident: what is wrong, since when, whose fault it looks like, which disks, and what was done about it."""

from datetime import UTC, datetime
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from sla.accounts.permissions import Verb, may, require
from sla.domain.incidents.calm import flapping
from sla.domain.incidents.words import SLOW_KINDS
from sla.incidents import services
from sla.incidents.credit_due import credit_words
from sla.incidents.models import Incident, IncidentDisk, JobRun
from sla.incidents.muting import muted_by
from sla.incidents.selectors import disks_in, incidents_visible_to
from sla.incidents.words import events_for, share_of, title_for
from sla.notifications.blame import blame, what_to_do
from sla.notifications.facts import badness, facts_of, line_of
from sla.web.incidents.words import ICONS, duration, headline, lasted, line

# Rows of a page: more disks than anybody reads; the API has all of them.
SHOWN = 200


def visible_incident(request: HttpRequest, incident_id: int) -> Incident:
    """404 for what does not exist and for what this person may not see alike: a link may be forwarded to anybody."""
    incident = incidents_visible_to(request.user).filter(pk=incident_id).first()
    if incident is None:
        raise Http404(f"there is no incident {incident_id}")
    return incident


@login_required
@never_cache
@require_safe
def incident(request: HttpRequest, incident_id: int) -> HttpResponse:
    """`/incidents/7`."""
    found = visible_incident(request, incident_id)
    return render(request, "incidents/incident.html", context_of(found, request))


def context_of(incident: Incident, request: HttpRequest) -> dict[str, Any]:
    """What the page shows, to this person."""
    now, user = datetime.now(UTC), request.user
    noc = user.is_noc
    mine = list(disks_in(incident, user))
    facts = facts_of(incident, user)
    shown = sorted(mine, key=lambda one: (one.until is None, badness(one)), reverse=True)
    handles = may(user, Verb.HANDLE_INCIDENTS)
    watcher = incident.kind == Incident.Kind.WATCHER
    return {
        "incident": incident,
        "title": headline(title_for(incident, user, share_of(mine))),
        "icon": ICONS[incident.state, incident.severity],
        "lasted": lasted(incident, now),
        "disks": [_row(one, noc=noc) for one in shown[:SHOWN]],
        "more": max(0, len(shown) - SHOWN),
        "active": sum(one.until is None for one in mine),
        "ever": len(mine),
        "customers": len({one.disk.machine.customer_id for one in mine}),
        "fault": blame(incident, facts, noc=noc),
        "to_do": _to_do(incident, what_to_do(incident, facts, noc=noc), noc=noc),
        "credit": credit_words([one.figures for one in mine if one.until is None]),
        "flaps": flapping(incident.reopened),
        "muted": muted_by(incident, now) if noc else None,
        "events": [line(event) for event in reversed(events_for(incident, user, mine))],
        "may_acknowledge": handles and incident.state == Incident.State.OPEN,
        "may_handle": handles,
        "note_max": services.NOTE_MAX,
        "jobs": JobRun.objects.order_by("task") if watcher else None,
        "late": incident.figures.get("late", []) if watcher else [],
    }


def _to_do(incident: Incident, said: str, *, noc: bool) -> str:
    """As its mail says, but that nobody has to be sent to the page they are on."""
    here = noc and incident.kind in SLOW_KINDS and incident.kind != Incident.Kind.BURN and not incident.resolved_at
    if here and incident.state == Incident.State.ACKNOWLEDGED:
        return gettext("See whether its neighbours are slow too; a note in the history helps who comes next.")
    return gettext("See whether its neighbours are slow too, and say that you look after it.") if here else said


def _row(member: IncidentDisk, *, noc: bool) -> dict[str, Any]:
    """A disk of the table, in the words that its mail has."""
    end = member.until or datetime.now(UTC)
    return {
        "member": member,
        "line": line_of(member, noc=noc),
        "kind": _kind_of(member),
        "lasted": duration((end - member.since).total_seconds()),
    }


def _kind_of(member: IncidentDisk) -> str:
    """Nothing completed for a whole minute: that is said by its own word."""
    if member.figures.get("unavailable"):
        return gettext("unavailable")
    return str(Incident.Kind(member.figures["kind"]).label) if "kind" in member.figures else ""


@login_required
@require_POST
def acknowledge(request: HttpRequest, incident_id: int) -> HttpResponse:
    """Somebody looks after it."""
    found = visible_incident(request, incident_id)
    require(request.user, Verb.HANDLE_INCIDENTS)
    try:
        services.acknowledge(incident=found, actor=request.user, note=request.POST.get("note", ""))
        messages.success(request, gettext("You look after it: others are told so."))
    except (services.AlreadyOver, services.OddNote) as error:
        messages.error(request, str(error))
    return redirect(found)


@login_required
@require_POST
def note(request: HttpRequest, incident_id: int) -> HttpResponse:
    """A line in the history."""
    found = visible_incident(request, incident_id)
    require(request.user, Verb.HANDLE_INCIDENTS)
    try:
        services.add_note(incident=found, actor=request.user, note=request.POST.get("note", ""))
        messages.success(request, gettext("The note stands in the history."))
    except services.OddNote as error:
        messages.error(request, str(error))
    return redirect(found)
