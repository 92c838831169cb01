"""What is wrong now, what was, and who looks after it?"""

from collections import Counter
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Case, Count, IntegerField, QuerySet, Value, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_safe

from sla.accounts.permissions import Verb, may
from sla.incidents.models import Incident
from sla.incidents.selectors import UNRESOLVED, incidents_visible_to, narrowed
from sla.incidents.words import shares, title_for
from sla.web.incidents.words import ICONS, headline, lasted

PAGE = 50
STATES = (
    (UNRESOLVED, gettext_lazy("Not over")),
    (Incident.State.OPEN.value, gettext_lazy("Open")),
    (Incident.State.ACKNOWLEDGED.value, gettext_lazy("Acknowledged")),
    (Incident.State.RESOLVED.value, gettext_lazy("Resolved")),
    ("all", gettext_lazy("All")),
)
# Worst first among what is not over: nobody looks yet, then how urgent, then the newest.
URGENCY = Case(
    *(When(severity=word, then=Value(place)) for place, word in enumerate(("page", "ticket", "info"))),
    output_field=IntegerField(),
)
STATE_ORDER = Case(
    *(When(state=word, then=Value(place)) for place, word in enumerate(("open", "acknowledged", "resolved"))),
    output_field=IntegerField(),
)


def asked_for(request: HttpRequest) -> dict[str, str]:
    """The filter in the address; a word that is none counts as not said."""
    known = {
        "state": {name for name, _ in STATES},
        "kind": set(Incident.Kind.values),
        "severity": set(Incident.Severity.values),
    }
    asked = {name: request.GET.get(name, "") for name in known}
    asked = {name: value if value in known[name] else "" for name, value in asked.items()}
    return {**asked, "state": asked["state"] or UNRESOLVED}


@login_required
@require_safe
def incidents(request: HttpRequest) -> HttpResponse:
    """`/incidents?state=&kind=&severity=`."""
    asked, visible = asked_for(request), incidents_visible_to(request.user)
    state = "" if asked["state"] == "all" else asked["state"]
    found = narrowed(visible, state=state, kind=asked["kind"], severity=asked["severity"])
    if asked["state"] in ("resolved", "all"):
        found = found.order_by("-opened_at", "-id")
    else:
        found = found.order_by(STATE_ORDER, URGENCY, "-opened_at", "-id")
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": rows(list(page.object_list), request),
        "asked": asked,
        "narrowed": bool(asked["kind"] or asked["severity"]),
        "tabs": _tabs(visible, asked),
        "kinds": Incident.Kind.choices,
        "severities": Incident.Severity.choices,
        "address": f"?{urlencode(asked)}&page={page.number}",
        "query": urlencode(asked),
        "may_handle": may(request.user, Verb.HANDLE_INCIDENTS),
    }
    return render(request, "incidents/list.html", context)


def rows(incidents: list[Incident], request: HttpRequest) -> list[dict[str, Any]]:
    """Lines of the list, in two queries however many there are."""
    now, mine = datetime.now(UTC), shares(incidents, request.user)
    return [
        {
            "incident": one,
            "title": headline(title_for(one, request.user, mine[one.pk]) or gettext("an incident")),
            "icon": ICONS[one.state, one.severity],
            "disks": mine[one.pk].disks,
            "active": mine[one.pk].active,
            "lasted": lasted(one, now),
        }
        for one in incidents
    ]


def _tabs(visible: QuerySet[Incident], asked: dict[str, str]) -> list[dict[str, Any]]:
    """Each state with how many there are under the other filters."""
    others = narrowed(visible, kind=asked["kind"], severity=asked["severity"])
    counted = Counter(dict(_count_by_state(others)))
    counted["all"] = sum(counted.values())
    counted[UNRESOLVED] = counted["open"] + counted["acknowledged"]
    return [
        {
            "word": word,
            "count": counted[name],
            "query": urlencode({**asked, "state": name}),
            "current": name == asked["state"],
        }
        for name, word in STATES
    ]


def _count_by_state(incidents: QuerySet[Incident]) -> QuerySet[Incident, tuple[str, int]]:
    return incidents.order_by().values_list("state").annotate(count=Count("id"))
