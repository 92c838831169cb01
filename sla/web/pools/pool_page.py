"""One pool: its disks' slowdown over time, the windows of that time, and the evidence of the one that is open."""

from datetime import UTC, date, datetime
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from sla.accounts.selectors import is_noc
from sla.fleet.models import Disk, Pool
from sla.neighbours.models import NeighbourWindow, Role, WindowDisk
from sla.neighbours.reading import least_visible
from sla.neighbours.selectors import windows_touching
from sla.web.disk_page import asked_range
from sla.web.disk_range import PRESETS, Range, RangeError, parse_range
from sla.web.pools.heat import heat, week
from sla.web.pools.words import card, listed

MOST_WINDOWS = 50


def visible_pool(request: HttpRequest, pool_id: int) -> Pool:
    """Pools are the provider's: 404 for everybody else."""
    pool = Pool.objects.filter(pk=pool_id).first() if is_noc(request.user) else None
    if pool is None:
        raise Http404(f"there is no pool {pool_id}")
    return pool


@login_required
@never_cache
@require_GET
def pool_page(request: HttpRequest, pool_id: int) -> HttpResponse:
    """`/pools/7?range=6h&to=…&window=…`."""
    pool, now, wrong = visible_pool(request, pool_id), datetime.now(UTC), None
    try:
        span = asked_range(request, now)
    except RangeError as error:
        span, wrong = parse_range("", "", now.timestamp()), str(error)
    context = _context(request, pool, span)
    context["wrong"] = wrong
    days = week(pool.pk, span.end)
    # Any Monday names the days.
    context["week"] = list(zip((date(2024, 1, 1 + day) for day in range(7)), days, strict=True)) if days else None
    context["hours"] = range(24)
    context["presets"] = [
        {
            "name": name,
            "query": Range(parse_range(name, "", span.end).start, span.end, name, span.live).query(),
            "current": name == span.name,
        }
        for name in PRESETS
    ]
    later = Range(span.start, span.end, span.name, live=False)
    context["earlier"], context["later"] = later.query(earlier=1), None if span.live else later.query(earlier=-1)
    return render(request, "pools/pool.html", context)


@login_required
@never_cache
@require_GET
def pool_data(request: HttpRequest, pool_id: int) -> HttpResponse:
    """What the heat map draws, anew."""
    pool, now = visible_pool(request, pool_id), datetime.now(UTC)
    try:
        span = asked_range(request, now)
    except RangeError as error:
        return JsonResponse({"error": {"code": "bad_value", "message": str(error)}}, status=422)
    return JsonResponse(_context(request, pool, span)["data"])


def _context(request: HttpRequest, pool: Pool, span: Range) -> dict[str, Any]:
    start, end = datetime.fromtimestamp(span.start, UTC), datetime.fromtimestamp(span.end, UTC)
    windows = list(
        windows_touching(pool, start, end).select_related("pool", "disk__machine").order_by("-start")[:MOST_WINDOWS]
    )
    parts: dict[int, list[WindowDisk]] = {window.pk: [] for window in windows}
    for part in WindowDisk.objects.filter(window__in=windows).select_related("disk__machine").order_by("-score", "pk"):
        parts[part.window_id].append(part)
    disks = {disk.pk: disk for disk in Disk.objects.filter(pool=pool).select_related("machine")}
    disks |= {part.disk_id: part.disk for listed_parts in parts.values() for part in listed_parts}
    chosen = _chosen(request.GET.get("window", ""), windows)
    suspects = [part.disk_id for part in parts.get(chosen.pk, []) if part.role == Role.SUSPECT] if chosen else []
    data = {
        "range": {"start": span.start, "end": span.end, "name": span.name, "live": span.live},
        "heat": heat(pool.pk, span, {pk: str(disk) for pk, disk in disks.items()}, suspects),
        "windows": [
            {
                "id": window.pk,
                "disk": window.disk_id,
                "start": int(window.start.timestamp()),
                "end": int(window.end.timestamp()) if window.end else None,
            }
            for window in windows
        ],
        "card": card(chosen, request.user, parts[chosen.pk], disks)["data"] if chosen else None,
    }
    return {
        "pool": pool,
        "disks": sum(disk.pool_id == pool.pk and disk.removed_at is None for disk in disks.values()),
        "span": span,
        "rows": [listed(window, True, parts[window.pk]) for window in windows],
        "card": card(chosen, request.user, parts[chosen.pk], disks) if chosen else None,
        "chosen": chosen,
        "visible": least_visible([pool.pk]).get(pool.pk),
        "data": data,
    }


def _chosen(asked: str, windows: list[NeighbourWindow]) -> NeighbourWindow | None:
    """The window that was asked for, else the open one, else the newest of the whole pool."""
    wanted = [window for window in windows if asked == str(window.pk)]
    usual = sorted(windows, key=lambda window: (window.disk_id is not None, window.end is not None))
    return next(iter([*wanted, *usual]), None)
