"""Is an incident to be kept quiet, and by what? By silences that people set; maintenance opens nothing at all."""

from collections.abc import Iterable
from datetime import datetime

from sla.domain.incidents.silence import Hush, Part, hides
from sla.incidents.models import Incident, IncidentDisk, Silence
from sla.incidents.selectors import silences_at


def hush_of(silence: Silence) -> Hush:
    """A stored silence as the domain's."""
    return Hush(
        kinds=frozenset(silence.kinds),
        incident=silence.incident_id,
        pool=silence.pool_id,
        machine=silence.machine_id,
        customer=silence.customer_id,
        disk=silence.disk_id,
    )


def parts_of(incident: Incident) -> list[Part]:
    """The disks in it now; once all have left, those that were: its end is as quiet as it was."""
    return parts_of_all([incident])[incident.pk]


def parts_of_all(incidents: Iterable[Incident]) -> dict[int, list[Part]]:
    """The same for many, in one query."""
    every: dict[int, list[tuple[Part, bool]]] = {incident.pk: [] for incident in incidents}
    names = ("incident", "until", "disk", "disk__machine", "disk__pool", "disk__machine__customer")
    for pk, until, *place in IncidentDisk.objects.filter(incident__in=list(every)).values_list(*names):
        every[pk].append((Part(*place), until is None))
    return {
        pk: [part for part, active in parts if active] or [part for part, _ in parts] for pk, parts in every.items()
    }


def hidden_by(incident: Incident, silences: Iterable[Silence]) -> bool:
    """Do these silences together hide the whole incident?"""
    listed = [hush_of(silence) for silence in silences]
    return bool(listed) and hides(listed, incident.pk, incident.kind, parts_of(incident))


def muted_by(incident: Incident, now: datetime) -> str | None:
    """Who keeps it quiet and why, or None."""
    silences = list(silences_at(now))
    if not silences or not hidden_by(incident, silences):
        return None
    return "; ".join(f"{silence.author_label}: {silence.reason}" for silence in silences)[:300]
