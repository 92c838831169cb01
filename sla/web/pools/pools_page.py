"""Which pools are there, how do their disks stand, and which is contended now?"""

from collections import defaultdict
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from sla.accounts.selectors import is_noc
from sla.domain.states import State
from sla.fleet.models import Disk, Pool
from sla.neighbours.models import NeighbourWindow
from sla.neighbours.reading import least_visible
from sla.web.pools.words import CAUSES, Cause

PAGE = 100
LATELY = timedelta(hours=24)


@login_required
@require_safe
def pools(request: HttpRequest) -> HttpResponse:
    """`/pools`: the provider's own; those that are contended now come first."""
    if not is_noc(request.user):
        raise Http404("there is no such page")
    now = datetime.now(UTC)
    contended = {one.pool_id: one for one in NeighbourWindow.objects.filter(end=None, disk=None).order_by("start")}
    rows = [_row(pool, contended.get(pool.pk)) for pool in Pool.objects.order_by("name")]
    rows.sort(key=lambda row: (row["window"] is None, row["pool"].name))
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    _fill(list(page.object_list), now)
    return render(request, "pools/list.html", {"page": page, "contended": len(contended), "total": len(rows)})


def _row(pool: Pool, window: NeighbourWindow | None) -> dict[str, Any]:
    cause = CAUSES[Cause(window.cause)] if window else ("", "")
    return {"pool": pool, "window": window, "cause": cause[0], "icon": cause[1], "minutes": None}


def _fill(rows: list[dict[str, Any]], now: datetime) -> None:
    ids = [row["pool"].pk for row in rows]
    stands = {
        pool: (every, breached, risk)
        for pool, every, breached, risk in Disk.objects.filter(pool__in=ids, removed_at=None)
        .values("pool")
        .annotate(
            all=Count("id"),
            breached=Count("id", filter=Q(now__state=State.BREACHED)),
            risk=Count("id", filter=Q(now__state=State.AT_RISK)),
        )
        .values_list("pool", "all", "breached", "risk")
    }
    lately: dict[int, int] = defaultdict(int)
    touching = NeighbourWindow.objects.filter(pool__in=ids, disk=None, start__gte=now - LATELY)
    for pool, count in touching.values("pool").annotate(n=Count("id")).values_list("pool", "n"):
        lately[pool] = count
    visible = least_visible(ids)
    for row in rows:
        pool = row["pool"].pk
        row["disks"], row["breached"], row["risk"] = stands.get(pool, (0, 0, 0))
        row["lately"] = lately[pool]
        row["visible"] = visible.get(pool)
        if row["window"]:
            row["minutes"] = round((now - row["window"].start).total_seconds() / 60)
