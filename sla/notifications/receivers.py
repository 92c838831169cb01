"""What is heard: each line of an incident's history, inside the transaction that writes it."""

from typing import Any

from django.dispatch import receiver

from sla.incidents.models import Incident, IncidentEvent
from sla.incidents.signals import event_recorded
from sla.notifications.writing import write


@receiver(event_recorded, dispatch_uid="notifications.write")
def on_event(*, incident: Incident, event: IncidentEvent, **_: Any) -> None:
    write(incident, event)
