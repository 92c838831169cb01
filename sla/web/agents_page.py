"""Which machines report, with which agent, and how is one more added?"""

from datetime import UTC, datetime, timedelta

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Count, F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from sla.accounts.models import Customer
from sla.accounts.selectors import customers_visible_to
from sla.domain.verdict import SILENT_S
from sla.fleet.models import Disk
from sla.fleet.selectors import machines_visible_to
from sla.web import agent_health
from sla.web.agent_key import may_make_keys

PAGE = 100


@login_required
@require_safe
def agents(request: HttpRequest) -> HttpResponse:
    """Those that were silent longest come first: they are what one looks for here."""
    now = datetime.now(UTC)
    machines = machines_visible_to(request.user).order_by(F("agent__seen_at").asc(nulls_last=True), "hostname", "id")
    page = Paginator(machines, PAGE).get_page(request.GET.get("page"))
    disks = Disk.objects.filter(machine__in=list(page.object_list), removed_at=None).values_list("machine")
    counted = dict(disks.annotate(disks=Count("id")))  # of those shown: to count everybody's takes twice as long
    for machine in page.object_list:
        machine.disk_count = counted.get(machine.pk, 0)
        agent = getattr(machine, "agent", None)
        machine.health = agent_health.words(agent)
        machine.age = (now - agent.seen_at).total_seconds() if agent and agent.seen_at else None
    makes_keys = may_make_keys(request.user)
    known = customers_visible_to(request.user).order_by("name") if makes_keys else Customer.objects.none()
    context = {
        "page": page,
        "limit": now - timedelta(seconds=SILENT_S),
        "may_make_keys": makes_keys,
        "customers": known.values_list("name", flat=True)[:1000],
    }
    return render(request, "agents.html", context)
