"""What does every page know? The import map, which place of the bar it is, how many disks are breached."""

import json
from typing import Any

from django.http import HttpRequest
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy

from sla.web.import_map import import_map

# Must not end the script element it stands in.
ESCAPES = {ord("<"): "\\u003C", ord(">"): "\\u003E", ord("&"): "\\u0026"}
PLACES = (
    ("fleet", gettext_lazy("Fleet")),
    ("pools", gettext_lazy("Pools")),
    ("incidents", gettext_lazy("Incidents")),
    ("contracts", gettext_lazy("Contracts")),
    ("reports", gettext_lazy("Reports")),
    ("agents", gettext_lazy("Agents")),
    ("log", gettext_lazy("Judge a log")),
)
# A customer's people have their own page first, disks where the NOC has a fleet, and no pools.
FIRST = (("home", gettext_lazy("Overview")), ("fleet", gettext_lazy("Disks")), ("windows", gettext_lazy("Contention")))
# Pages that belong to a place without being it.
WITHIN = {
    "customer": "home",
    "disk": "fleet",
    "disk_period": "fleet",
    "matrix": "fleet",
    "pool": "pools",
    "contract": "contracts",
    "assign": "contracts",
    "maintenance": "contracts",
    "maintenance_new": "contracts",
    "incident": "incidents",
    "silences": "incidents",
    "report": "reports",
    "silence_new": "incidents",
    "agent_key": "agents",
    "keys": "agents",
    "inventory": "agents",
    "machine": "agents",
}


def page(request: HttpRequest) -> dict[str, Any]:
    """For the base template."""
    match = request.resolver_match
    name = (match.url_name or "") if match else ""
    user = getattr(request, "user", None)
    places = (*FIRST, *PLACES[2:]) if user and user.is_authenticated and not user.is_noc else PLACES
    within = "pools" if name in ("windows", "window") and places is PLACES else "windows" if name == "window" else name
    return {"import_map": _map, "places": places, "place": WITHIN.get(name, within)}


def _map() -> SafeString:
    return mark_safe(json.dumps(import_map()).translate(ESCAPES))  # noqa: S308
