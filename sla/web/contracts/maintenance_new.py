"""Plan maintenance: once or again and again, of what, muting or taking out; what it touches is shown first."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods

from sla.accounts.models import Customer
from sla.accounts.permissions import Verb, require
from sla.contracts.maintenance import OddMaintenance, Places, customers_of, disks_of
from sla.domain.recurrence import Recurrence, RuleError
from sla.fleet.models import Disk, Pool
from sla.scoring.maintenance import plan_window
from sla.scoring.maintenance_series import LOCAL, plan_series

SHOWN = 5
AHEAD = timedelta(days=120)


class PlanForm(forms.Form):
    """When on the wall clock of a zone, how long, how often, of what, and both switches."""

    begins = forms.CharField(max_length=16)
    minutes = forms.IntegerField(min_value=1, max_value=7 * 24 * 60)
    zone = forms.CharField(max_length=64)
    rule = forms.CharField(max_length=300, required=False)
    reason = forms.CharField(max_length=300)
    pools = forms.ModelMultipleChoiceField(Pool.objects.order_by("name"), required=False)
    customers = forms.ModelMultipleChoiceField(Customer.objects.order_by("name"), required=False)
    disks = forms.ModelMultipleChoiceField(Disk.objects.all(), required=False)
    mutes = forms.BooleanField(required=False)
    excludes = forms.BooleanField(required=False)

    def clean_begins(self) -> datetime:
        """A wall clock, as the browser's own field writes it."""
        text = self.cleaned_data["begins"]
        try:
            return datetime.strptime(text, LOCAL)  # noqa: DTZ007  a wall clock has no zone
        except ValueError as error:
            raise forms.ValidationError(gettext("%s: write it like 2026-11-22T02:00") % text) from error

    def clean_zone(self) -> str:
        """A name that the zone database knows."""
        name: str = self.cleaned_data["zone"]
        try:
            ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise forms.ValidationError(gettext("%s is no time zone") % name) from error
        return name

    def places(self) -> Places:
        """What is maintained."""
        said = self.cleaned_data
        return Places(**{name: list(said.get(name) or []) for name in ("disks", "pools", "customers")})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """`/maintenance/new?pool=7&disk=9`."""
    require(request.user, Verb.PLAN_MAINTENANCE)
    initial = {
        "minutes": 60,
        "zone": request.user.zone or "UTC",
        "mutes": True,
        "begins": (timezone.now() + timedelta(days=1)).strftime("%Y-%m-%dT02:00"),
        "pools": _given(request, "pool"),
        "disks": _given(request, "disk"),
        "customers": _given(request, "customer"),
    }
    form = PlanForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            _plan(request, form)
        except OddMaintenance as error:
            form.add_error(None, str(error))
        else:
            return redirect("maintenance")
    disks = Disk.objects.select_related("machine").filter(pk__in=_numbers(form["disks"].value()))
    context = {
        "form": form,
        "pools": Pool.objects.order_by("name")[:500],
        "customers": Customer.objects.order_by("name")[:500],
        "disks": disks,
        "chosen": {name: {str(one) for one in form[name].value() or []} for name in ("pools", "customers")},
    }
    return render(request, "maintenance/new.html", context, status=400 if form.errors else 200)


def _given(request: HttpRequest, name: str) -> list[int]:
    return _numbers(request.GET.getlist(name))


def _numbers(values: Any) -> list[int]:
    return [int(one) for one in values or [] if str(one).isdecimal() and len(str(one)) < 19]


def _plan(request: HttpRequest, form: PlanForm) -> None:
    said, places = form.cleaned_data, form.places()
    switches = {"mutes": said["mutes"], "excludes": said["excludes"]}
    if said["rule"].strip():
        series = plan_series(
            actor=request.user,
            rule=said["rule"],
            begins_local=said["begins"].strftime(LOCAL),
            minutes=said["minutes"],
            zone=said["zone"],
            reason=said["reason"],
            places=places,
            **switches,
        )
        messages.success(request, gettext("“%s” is planned, again and again.") % series.reason)
        return
    begins = said["begins"].replace(tzinfo=ZoneInfo(said["zone"]))
    window = plan_window(
        actor=request.user,
        starts_at=begins,
        ends_at=begins + timedelta(minutes=said["minutes"]),
        reason=said["reason"],
        places=places,
        **switches,
    )
    if window.asks_exclusion:
        messages.warning(
            request, gettext("“%s” is planned. Its past is taken out only with each customer’s word.") % window.reason
        )
    else:
        messages.success(request, gettext("“%s” is planned.") % window.reason)


@login_required
@require_GET
def touches(request: HttpRequest) -> HttpResponse:
    """What a half-filled form would touch, and when: the preview beside it."""
    require(request.user, Verb.PLAN_MAINTENANCE)
    form = PlanForm(request.GET)
    form.is_valid()
    places = form.places()
    disks = disks_of(places).filter(removed_at=None) if places else Disk.objects.none()
    context: dict[str, Any] = {
        "count": disks.count(),
        "disks": disks.select_related("machine").order_by("machine__hostname", "device")[:SHOWN],
        "customers": list(customers_of(places)[:SHOWN]) if places else [],
        "times": [],
    }
    said = form.cleaned_data
    if {"begins", "minutes", "zone"} <= said.keys():
        try:
            context["times"] = _times(said)
        except (RuleError, OddMaintenance) as error:
            context["wrong"] = str(error)
    return render(request, "maintenance/touches.html", context)


def _times(said: dict[str, Any]) -> list[tuple[datetime, datetime]]:
    length = timedelta(minutes=said["minutes"])
    if not said.get("rule", "").strip():
        begins = said["begins"].replace(tzinfo=ZoneInfo(said["zone"]))
        return [(begins, begins + length)]
    again = Recurrence(said["rule"].strip(), said["begins"], length, said["zone"])
    now = timezone.now()
    found = [(opens, closes) for opens, closes in again.occurrences(now, now + AHEAD)][:SHOWN]
    zone = ZoneInfo(said["zone"])
    return [(opens.astimezone(zone), closes.astimezone(zone)) for opens, closes in found]
