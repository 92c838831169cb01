"""The page of one disk, and what its refresh, its panel of seconds and its downloads ask for."""

from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from sla.fleet.models import Disk
from sla.probes.selectors import was_probed
from sla.scoring import listing
from sla.scoring.selectors import vantage_of
from sla.web.disk_csv import CHARTS, WITH_FLUSHES, csv_of
from sla.web.disk_data import page_data
from sla.web.disk_days import days_bar
from sla.web.disk_flushes import flush_lines
from sla.web.disk_minute import minute
from sla.web.disk_month import month
from sla.web.disk_range import PRESETS, Range, RangeError, parse_moment, parse_range


def visible_disk(request: HttpRequest, disk_id: int) -> Disk:
    """404 for what does not exist and for what this person may not see alike."""
    disks = listing.every(request.user).select_related("machine__agent").annotate(probed=was_probed())
    disk = disks.filter(pk=disk_id).first()
    if disk is None:
        raise Http404(f"there is no disk {disk_id}")
    return disk


def asked_range(request: HttpRequest, now: datetime) -> Range:
    """The range of the URL."""
    return parse_range(request.GET.get("range", ""), request.GET.get("to", ""), now.timestamp())


@login_required
@never_cache
@require_GET
def disk_page(request: HttpRequest, disk_id: int) -> HttpResponse:
    """`/disks/7/?range=6h&to=…`; words that name no range are said, and the default is shown."""
    disk, now, wrong = visible_disk(request, disk_id), datetime.now(UTC), None
    try:
        span = asked_range(request, now)
    except RangeError as error:
        span, wrong = parse_range("", "", now.timestamp()), str(error)
    data = page_data(disk, request.user, span, now)
    return render(request, "disk.html", {"disk": disk, "data": data, "span": span, "wrong": wrong, **_navigation(span)})


def _navigation(span: Range) -> dict[str, Any]:
    """Where the range buttons lead. A preset keeps the end that is shown, but for the live one."""
    presets = []
    for name in PRESETS:
        wanted = parse_range(name, "", span.end)
        same = Range(wanted.start, span.end, name, span.live)
        presets.append({"name": name, "query": same.query(), "current": name == span.name})
    later = Range(span.start, span.end, span.name, live=False)
    return {
        "presets": presets,
        "query": span.query(),
        "earlier": later.query(earlier=1),
        "later": None if span.live else later.query(earlier=-1),
        "live": Range(span.start, span.end, span.name, live=True).query(),
    }


def _refused(message: str) -> JsonResponse:
    return JsonResponse({"error": {"code": "bad_value", "message": message}}, status=422)


@login_required
@never_cache
@require_GET
def disk_data(request: HttpRequest, disk_id: int) -> JsonResponse:
    """What the page's charts draw, anew."""
    disk, now = visible_disk(request, disk_id), datetime.now(UTC)
    try:
        span = asked_range(request, now)
    except RangeError as error:
        return _refused(str(error))
    return JsonResponse(page_data(disk, request.user, span, now))


@login_required
@never_cache
@require_GET
def disk_days(request: HttpRequest, disk_id: int) -> JsonResponse:
    """The bar of the last days, whatever the range."""
    return JsonResponse(days_bar(visible_disk(request, disk_id), datetime.now(UTC).timestamp()))


@login_required
@never_cache
@require_GET
def disk_flushes(request: HttpRequest, disk_id: int) -> JsonResponse:
    """The flushes of the same span: frames are opened for them, so they come after the rest."""
    disk = visible_disk(request, disk_id)
    try:
        span = asked_range(request, datetime.now(UTC))
    except RangeError as error:
        return _refused(str(error))
    return JsonResponse(flush_lines(disk.pk, vantage_of(disk.pk), span))


@login_required
@never_cache
@require_GET
def disk_minute(request: HttpRequest, disk_id: int) -> JsonResponse:
    """`?from=…&to=…`: the minute there, or the worst one of a longer cell, second by second."""
    disk = visible_disk(request, disk_id)
    try:
        start = parse_moment(request.GET.get("from", ""))
        end = parse_moment(request.GET["to"]) if "to" in request.GET else start + 60
    except RangeError as error:
        return _refused(str(error))
    if end <= start:
        return _refused(f"from {start} to {end} is no span")
    return JsonResponse({"minute": minute(disk.pk, start, end)})


@login_required
@never_cache
@require_GET
def disk_month(request: HttpRequest, disk_id: int) -> JsonResponse:
    """The open month: its figures with their formulas, and its worst minutes."""
    return JsonResponse(month(visible_disk(request, disk_id), datetime.now(UTC)))


@login_required
@never_cache
@require_GET
def disk_csv(request: HttpRequest, disk_id: int, chart: str) -> HttpResponse:
    """The points of one chart as a file."""
    disk, now = visible_disk(request, disk_id), datetime.now(UTC)
    if chart not in CHARTS:
        raise Http404(f"there is no chart {chart}")
    try:
        span = asked_range(request, now)
    except RangeError as error:
        return _refused(str(error))
    name = f"disk-{disk.pk}-{chart}-{span.name}.csv"
    data = page_data(disk, request.user, span, now)
    if chart == "days":
        data["days"] = days_bar(disk, now.timestamp())
    if chart in WITH_FLUSHES:
        data |= flush_lines(disk.pk, vantage_of(disk.pk), span)
    return HttpResponse(
        csv_of(chart, data),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
