"""When is maintenance, of what, and does it mute or take out? A month at a glance and its windows in words."""

import calendar
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from sla.accounts.permissions import Verb, may, require
from sla.accounts.selectors import customers_visible_to, is_noc
from sla.contracts.maintenance import (
    PLACES,
    OddMaintenance,
    customers_of,
    disks_in_windows,
    places_of,
    windows_visible_to,
)
from sla.contracts.models import MaintenanceSeries, MaintenanceWindow
from sla.domain.period import Period, PeriodError, parse_period, period_of
from sla.scoring.maintenance import approve, cancel_window
from sla.scoring.maintenance_series import cancel_series

MOST = 300


@login_required
@require_safe
def maintenance(request: HttpRequest) -> HttpResponse:
    """`/maintenance?month=2026-11`: days of UTC."""
    now = datetime.now(UTC)
    try:
        month = parse_period(request.GET.get("month", "") or period_of(now).text)
    except PeriodError as error:
        raise Http404(str(error)) from error
    weeks = calendar.Calendar().monthdatescalendar(month.year, month.month)
    first, last = _begin(weeks[0][0]), _begin(weeks[-1][-1]) + timedelta(days=1)
    found = windows_visible_to(request.user).filter(ends_at__gt=first, starts_at__lt=last, cancelled_at=None)
    windows = list(found.select_related("series").prefetch_related(*PLACES).order_by("starts_at", "pk")[:MOST])
    touched = disks_in_windows(windows, request.user)
    rows = [_row(request, window, len(touched[window.pk]), now) for window in windows]
    noc = is_noc(request.user)
    series = MaintenanceSeries.objects.filter(cancelled_at=None).prefetch_related(*PLACES) if noc else []
    context = {
        "month": date(month.year, month.month, 1),
        "earlier": month.previous().text,
        "later": month.next().text,
        "weeks": [[_day(day, month, rows, now) for day in week] for week in weeks],
        "weekdays": [date(2024, 1, 1 + place) for place in range(7)],
        "rows": [row for row in rows if row["window"].starts_at < month.end and row["window"].ends_at > month.start],
        "asking": _asking(request),
        "series": [{"series": one, "places": _places(one)} for one in series],
        "may_plan": may(request.user, Verb.PLAN_MAINTENANCE),
    }
    return render(request, "maintenance/calendar.html", context)


def _begin(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _row(request: HttpRequest, window: MaintenanceWindow, disks: int, now: datetime) -> dict[str, Any]:
    when = "past" if window.ends_at <= now else "running" if window.starts_at <= now else "coming"
    return {
        "window": window,
        "disks": disks,
        "when": when,
        "minutes": round((window.ends_at - window.starts_at).total_seconds() / 60),
        "places": _places(window) if is_noc(request.user) else [],
    }


def _places(planned: MaintenanceWindow | MaintenanceSeries) -> list[str]:
    return [name for names in places_of(planned).named().values() for name in names]


def _day(day: date, month: Period, rows: list[dict[str, Any]], now: datetime) -> dict[str, Any]:
    begin = _begin(day)
    end = begin + timedelta(days=1)
    mine = [row for row in rows if row["window"].starts_at < end and row["window"].ends_at > begin]
    return {
        "day": day,
        "other": day.month != month.month,
        "today": begin <= now < end,
        "rows": mine[:4],
        "more": max(0, len(mine) - 4),
    }


def _asking(request: HttpRequest) -> list[dict[str, Any]]:
    """Windows that wait for a customer's word, with the customers this person may speak for."""
    waiting = windows_visible_to(request.user).filter(asks_exclusion=True, cancelled_at=None)
    waiting = waiting.prefetch_related(*PLACES, "words").order_by("starts_at")[:50]
    mine = {customer.pk: customer for customer in customers_visible_to(request.user)}
    found = []
    for window in waiting:
        given = {word.customer_id for word in window.words.all()}
        missing = [one for one in customers_of(places_of(window)) if one.pk in mine and one.pk not in given]
        speaks = [one for one in missing if may(request.user, Verb.APPROVE_EXCLUSIONS, one)]
        if missing:
            found.append({"window": window, "missing": missing, "speaks": speaks})
    return found


def visible_window(request: HttpRequest, window_id: int) -> MaintenanceWindow:
    """404 for what does not exist and for what this person may not see alike."""
    window = windows_visible_to(request.user).filter(pk=window_id).first()
    if window is None:
        raise Http404(f"there is no maintenance window {window_id}")
    return window


@login_required
@require_POST
def cancel(request: HttpRequest, window_id: int) -> HttpResponse:
    """Its time counts again, also what has passed."""
    window = visible_window(request, window_id)
    require(request.user, Verb.PLAN_MAINTENANCE)
    cancel_window(window=window, actor=request.user)
    messages.success(request, gettext("“%s” is cancelled: its time counts again.") % window.reason)
    return redirect("maintenance")


@login_required
@require_POST
def end_series(request: HttpRequest, series_id: int) -> HttpResponse:
    """No more of it."""
    series = MaintenanceSeries.objects.filter(pk=series_id).first() if is_noc(request.user) else None
    if series is None:
        raise Http404(f"there is no maintenance series {series_id}")
    require(request.user, Verb.PLAN_MAINTENANCE)
    cancel_series(series=series, actor=request.user)
    messages.success(request, gettext("“%s” will not come again.") % series.reason)
    return redirect("maintenance")


@login_required
@require_POST
def agree(request: HttpRequest, window_id: int) -> HttpResponse:
    """A customer's word that time which has passed is taken out of their SLA."""
    window = visible_window(request, window_id)
    wanted = request.POST.get("customer", "")
    customer = (
        customers_visible_to(request.user).filter(pk=int(wanted)).first()
        if wanted.isdecimal() and len(wanted) < 19
        else None
    )
    if customer is None:
        raise Http404("there is no such customer")
    require(request.user, Verb.APPROVE_EXCLUSIONS, customer)
    try:
        approve(window=window, customer=customer, actor=request.user, note=request.POST.get("note", ""))
    except OddMaintenance as error:
        messages.error(request, str(error))
    else:
        messages.success(request, gettext("Your word is written down."))
    return redirect("maintenance")
