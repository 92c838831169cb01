"""What people do about incidents: acknowledge, note; and what the clock does: remind."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from sla.accounts.models import User
from sla.accounts.services import record
from sla.domain.incidents.calm import reminder_due
from sla.domain.incidents.words import Happened, Severity, Status
from sla.incidents.history import record_event
from sla.incidents.models import Incident, IncidentEvent
from sla.incidents.muting import muted_by

NOTE_MAX = 2000
# Reminded in one call; the beat comes again.
REMINDERS = 200


class AlreadyOver(ValueError):
    """Nothing can be acknowledged that is resolved; the message says since when."""


class OddNote(ValueError):
    """A note is empty or too long; the message says how long it may be."""


def _locked(incident: Incident) -> Incident:
    return (
        Incident.objects.select_for_update(of=("self",))
        .select_related("pool", "machine", "customer", "acknowledged_by")
        .get(pk=incident.pk)
    )


def _checked(note: str, *, needed: bool) -> str:
    note = note.strip()
    if (needed and not note) or len(note) > NOTE_MAX:
        raise OddNote(f"a note of {len(note)} characters: write 1 to {NOTE_MAX}")
    return note


@transaction.atomic
def acknowledge(*, incident: Incident, actor: User, note: str = "", now: datetime | None = None) -> Incident:
    """Somebody looks after it. A second word of the same kind changes nothing. AlreadyOver, OddNote."""
    note, now = _checked(note, needed=False), now or timezone.now()
    incident = _locked(incident)
    if incident.state == Incident.State.RESOLVED:
        raise AlreadyOver(
            f"incident {incident.pk} was resolved at {incident.resolved_at:%F %H:%M} UTC: add a note instead"
        )
    if incident.state == Incident.State.ACKNOWLEDGED:
        return incident
    incident.state = Incident.State.ACKNOWLEDGED
    incident.acknowledged_by, incident.acknowledged_at = actor, now
    record_event(incident, Happened.ACKNOWLEDGED, now, actor=actor, note=note, data={"by": actor.get_username()})
    record(
        verb="incident acknowledged",
        object_label=f"{incident.pk}: {incident.title}"[:200],
        actor=actor,
        customer=incident.customer,
        before={"state": Status.OPEN},
        after={"state": Status.ACKNOWLEDGED, "note": note},
    )
    return incident


@transaction.atomic
def add_note(*, incident: Incident, actor: User, note: str, now: datetime | None = None) -> IncidentEvent:
    """A line in the history, also of an incident that is over. OddNote."""
    note, now = _checked(note, needed=True), now or timezone.now()
    incident = _locked(incident)
    record(
        verb="incident note added",
        object_label=f"{incident.pk}: {incident.title}"[:200],
        actor=actor,
        customer=incident.customer,
        after={"note": note},
    )
    return record_event(incident, Happened.NOTE, now, actor=actor, note=note, data={"by": actor.get_username()})


def remind(*, now: datetime | None = None) -> int:
    """Say again what nobody has looked after for too long; how many."""
    now = now or timezone.now()
    waiting = Incident.objects.exclude(state=Incident.State.RESOLVED).order_by("pk").values_list("pk", flat=True)
    return sum(_remind_one(pk, now) for pk in list(waiting[:REMINDERS]))


@transaction.atomic
def _remind_one(pk: int, now: datetime) -> bool:
    incident = (
        Incident.objects.select_for_update(skip_locked=True)
        .exclude(state=Incident.State.RESOLVED)
        .filter(pk=pk)
        .first()
    )
    if incident is None or not _due(incident, now):
        return False
    incident.reminded_at = now
    record_event(incident, Happened.REMINDED, now, data={"open_s": int((now - incident.opened_at).total_seconds())})
    return True


def _due(incident: Incident, now: datetime) -> bool:
    # What is quiet already ends by itself: nobody has to be reminded of it.
    if incident.quiet_at is not None:
        return False
    touched = [incident.opened_at, incident.announced_at, incident.acknowledged_at, incident.reminded_at]
    return reminder_due(
        state=Status(incident.state),
        severity=Severity(incident.severity),
        muted=muted_by(incident, now) is not None,
        announced_at=incident.announced_at.timestamp() if incident.announced_at else None,
        touched_at=max(at for at in touched if at is not None).timestamp(),
        now=now.timestamp(),
    )
