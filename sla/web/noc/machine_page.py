"""One machine: its disks, what its agent says of it, when it last spoke, and an end to its token."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from sla.accounts.permissions import Verb, may, require
from sla.domain.verdict import SILENT_S
from sla.fleet.agents import revoke_agent
from sla.fleet.models import Machine
from sla.fleet.selectors import machines_visible_to
from sla.scoring import listing
from sla.web import agent_health
from sla.web.fleet_lines import lines
from sla.web.fleet_rows import table

MOST_DISKS = 100
MOST_FACTS = 40
LAST_MOMENT = 253_402_300_799  # of the year 9999


def visible_machine(request: HttpRequest, machine_id: int) -> Machine:
    """404 for what does not exist and for what this person may not see alike."""
    machine = machines_visible_to(request.user).filter(pk=machine_id).first()
    if machine is None:
        raise Http404(f"there is no machine {machine_id}")
    return machine


@login_required
@require_safe
def machine_page(request: HttpRequest, machine_id: int) -> HttpResponse:
    """`/machines/7`."""
    machine, now = visible_machine(request, machine_id), datetime.now(UTC)
    disks = lines(listing.listed(request.user).filter(machine=machine)[:MOST_DISKS])
    agent = getattr(machine, "agent", None)
    seen = agent.seen_at if agent else None
    context = {
        "machine": machine,
        "agent": agent,
        "rows": table(disks, now),
        "silent": seen is None or now - seen > timedelta(seconds=SILENT_S),
        "age": (now - seen).total_seconds() if seen else None,
        "facts": facts(machine),
        "health": agent_health.rows(agent),
        "may_revoke": may(request.user, Verb.RETIRE_AGENTS) and agent is not None and agent.revoked_at is None,
    }
    return render(request, "noc/machine.html", context)


def facts(machine: Machine) -> list[tuple[str, str]]:
    """What the agent told when it enrolled, a name and a value each; what is nested is left to the API."""
    plain: dict[str, Any] = {"virtualisation": machine.virtualisation, **machine.facts}
    found = [(name, value) for name, value in plain.items() if not isinstance(value, dict | list)]
    return [fact(name, value) for name, value in found if value not in (None, "")][:MOST_FACTS]


def fact(name: str, value: Any) -> tuple[str, str]:
    """As people read it: sizes with their unit, moments with their zone, yes and no."""
    words = name.removesuffix("_bytes").replace("_", " ")
    if isinstance(value, bool):
        return words, gettext("yes") if value else gettext("no")
    if name.endswith("_bytes") and isinstance(value, int):
        return words, agent_health.size(value)
    if name.endswith("_at") and isinstance(value, int) and 0 < value < LAST_MOMENT:
        return words, datetime.fromtimestamp(value, UTC).strftime("%Y-%m-%d %H:%M UTC")
    return words, str(value)


@login_required
@require_POST
def revoke(request: HttpRequest, machine_id: int) -> HttpResponse:
    """The agent's token opens nothing any more."""
    machine = visible_machine(request, machine_id)
    require(request.user, Verb.RETIRE_AGENTS, machine.customer)
    if revoke_agent(machine=machine, actor=request.user):
        messages.success(request, gettext("The agent of %s is revoked: it must enrol again with a key.") % machine)
    return redirect("machine", machine.pk)
