"""Which contention windows were there? A list with filters; each opens its evidence. Customers read no names."""

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from sla.accounts.selectors import is_noc
from sla.fleet.models import Pool
from sla.fleet.selectors import disks_visible_to
from sla.neighbours.models import Cause, NeighbourWindow, WindowDisk
from sla.neighbours.selectors import windows_visible_to
from sla.web.pools.words import CAUSES, card, listed

PAGE = 50
DAYS = {"1": 1, "7": 7, "30": 30, "365": 365}


@login_required
@require_GET
def windows(request: HttpRequest) -> HttpResponse:
    """`/windows?cause=&pool=&open=1&days=7`."""
    noc = is_noc(request.user)
    days = request.GET.get("days", "7")
    days = days if days in DAYS else "7"
    cause = request.GET.get("cause", "")
    pool = request.GET.get("pool", "")[:100].replace("\0", "") if noc else ""
    only_open = request.GET.get("open") == "1"
    found = windows_visible_to(request.user).filter(start__gte=datetime.now(UTC) - timedelta(days=DAYS[days]))
    if cause in Cause.values:
        found = found.filter(cause=cause)
    if pool:
        found = found.filter(pool__name=pool)
    if only_open:
        found = found.filter(end=None)
    page = Paginator(found.defer("evidence").order_by("-start", "-pk"), PAGE).get_page(request.GET.get("page"))
    parts = parts_of(request, list(page.object_list))
    asked = {"cause": cause, "pool": pool, "open": "1" if only_open else "", "days": days}
    context: dict[str, Any] = {
        "page": page,
        "rows": [listed(window, noc, parts[window.pk]) for window in page.object_list],
        "asked": asked,
        "query": urlencode({name: value for name, value in asked.items() if value}),
        "causes": [(cause.value, word) for cause, (word, _) in CAUSES.items()],
        "pools": Pool.objects.order_by("name").values_list("name", flat=True)[:500] if noc else [],
        "days": list(DAYS),
    }
    return render(request, "pools/windows.html", context)


def parts_of(request: HttpRequest, found: list[NeighbourWindow]) -> dict[int, list[WindowDisk]]:
    """Of each window the disks that this person may see, the likeliest culprit first."""
    parts: dict[int, list[WindowDisk]] = {window.pk: [] for window in found}
    rows = WindowDisk.objects.filter(window__in=list(parts)).select_related("disk__machine")
    if not is_noc(request.user):
        rows = rows.filter(disk__in=disks_visible_to(request.user).order_by().values("pk"))
    for part in rows.order_by("-score", "pk"):
        parts[part.window_id].append(part)
    return parts


@login_required
@require_GET
def window(request: HttpRequest, window_id: int) -> HttpResponse:
    """`/windows/7`: the evidence card alone, to be forwarded."""
    found = windows_visible_to(request.user).filter(pk=window_id).first()
    if found is None:
        raise Http404(f"there is no window {window_id}")
    parts = parts_of(request, [found])[found.pk]
    visible = {part.disk_id: part.disk for part in parts}
    shown = card(found, request.user, parts, visible)
    return render(request, "pools/window.html", {"card": shown, "window": found, "data": {"card": shown["data"]}})
