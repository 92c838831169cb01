"""How does an incident's history grow? One line at a time, and whoever listens hears it in the same transaction."""

from datetime import datetime
from typing import Any

from sla.accounts.models import User
from sla.domain.incidents.words import Happened
from sla.incidents.models import Incident, IncidentEvent
from sla.incidents.muting import muted_by
from sla.incidents.signals import event_recorded

# What people are told of at once; a silence keeps it from them.
LOUD = frozenset({Happened.OPENED, Happened.REOPENED, Happened.ESCALATED, Happened.REMINDED})


def record_event(
    incident: Incident,
    kind: Happened,
    now: datetime,
    *,
    actor: User | None = None,
    note: str = "",
    data: dict[str, Any] | None = None,
) -> IncidentEvent:
    """Add a line. `data["muted"]` says what keeps it quiet, where something does: nobody is to be notified then.

    The incident is saved with it, so call it when everything else about the incident stands.
    """
    data = dict(data or {})
    if quiet := muted_by(incident, now):
        data["muted"] = quiet
    elif kind in LOUD:
        incident.announced_at = now
    incident.updated_at = now
    incident.save()
    event = IncidentEvent.objects.create(incident=incident, at=now, kind=kind, actor=actor, note=note, data=data)
    event_recorded.send(sender=Incident, incident=incident, event=event)
    return event
