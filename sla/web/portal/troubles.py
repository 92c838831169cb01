"""What went wrong lately, told of this customer's own disks only?"""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, F, OuterRef
from django.utils import timezone

from sla.accounts.models import Customer, User
from sla.incidents.models import Incident, IncidentDisk
from sla.incidents.selectors import incidents_visible_to
from sla.incidents.words import share_of, title_for
from sla.web.incidents.words import ICONS, lasted

SHOWN = 6


def troubles_of(user: User | AnonymousUser, customer: Customer) -> list[dict[str, Any]]:
    """Open ones first, then the latest. The words are the customer's, whoever reads the page."""
    mine = IncidentDisk.objects.filter(incident=OuterRef("pk"), disk__machine__customer=customer)
    found = list(
        incidents_visible_to(user)
        .filter(Exists(mine))
        .exclude(kind=Incident.Kind.WATCHER)
        .order_by(F("resolved_at").desc(nulls_first=True), "-opened_at")[:SHOWN]
    )
    disks: dict[int, list[IncidentDisk]] = {incident.pk: [] for incident in found}
    rows = IncidentDisk.objects.select_related("disk__machine").filter(
        incident__in=found, disk__machine__customer=customer
    )
    for row in rows.order_by("since", "id"):
        disks[row.incident_id].append(row)
    now = timezone.now()
    return [
        {
            "incident": incident,
            "title": title_for(incident, AnonymousUser(), share_of(disks[incident.pk])),
            "icon": ICONS[incident.state, incident.severity],
            "state": incident.get_state_display(),
            "lasted": lasted(incident, now),
        }
        for incident in found
    ]
