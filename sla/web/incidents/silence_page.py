"""What is kept quiet, by whom and until when? Set one after a look at what it hides; end one."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import F
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from sla.accounts.models import Customer
from sla.accounts.permissions import Verb, may, require
from sla.fleet.models import Disk, Machine, Pool
from sla.incidents import silences as verbs
from sla.incidents.models import Incident, Silence

PAGE = 50
LENGTHS = (
    (1, gettext_lazy("1 hour")),
    (4, gettext_lazy("4 hours")),
    (24, gettext_lazy("1 day")),
    (72, gettext_lazy("3 days")),
    (168, gettext_lazy("7 days")),
)
MOST_NAMES = 1_000


class SilenceForm(forms.Form):
    """What, why and for how long. Places are asked for by name: a select of ten thousand disks helps nobody."""

    incident = forms.ModelChoiceField(Incident.objects.all(), required=False)
    pool = forms.CharField(max_length=100, required=False)
    customer = forms.CharField(max_length=200, required=False)
    machine = forms.CharField(max_length=255, required=False)
    disk = forms.ModelChoiceField(Disk.objects.all(), required=False)
    kinds = forms.MultipleChoiceField(choices=Incident.Kind.choices, required=False)
    hours = forms.TypedChoiceField(choices=LENGTHS, coerce=int)
    reason = forms.CharField(max_length=300)

    def clean_pool(self) -> Pool | None:
        return self._named("pool", Pool, "name")

    def clean_customer(self) -> Customer | None:
        return self._named("customer", Customer, "name")

    def clean_machine(self) -> Machine | None:
        return self._named("machine", Machine, "hostname")

    def _named(self, field: str, model: Any, by: str) -> Any:
        name = self.cleaned_data[field].strip()
        if not name:
            return None
        found = list(model.objects.filter(**{by: name})[:2])
        if len(found) != 1:
            said = (
                gettext("There is no %(what)s %(name)s.")
                if not found
                else gettext("More than one %(what)s is %(name)s.")
            )
            raise forms.ValidationError(said % {"what": field, "name": name})
        return found[0]


def _noc_only(request: HttpRequest) -> None:
    """Silences name pools and other customers: outside the NOC there are none."""
    if not request.user.is_noc:
        raise Http404("there are no silences here")


@login_required
@require_safe
def silences(request: HttpRequest) -> HttpResponse:
    """Those that hold first, then the last ones that ended."""
    _noc_only(request)
    now = datetime.now(UTC)
    rows = Silence.objects.select_related("incident", "pool", "machine", "customer", "disk__machine")
    rows = rows.order_by(F("cancelled_at").desc(nulls_first=True), "-ends_at", "-id")
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    listed = [
        {"silence": one, "names": verbs.named(one), "state": _state(one, now), "icon": _icon(one, now)}
        for one in page.object_list
    ]
    may_handle = may(request.user, Verb.HANDLE_INCIDENTS)
    return render(request, "incidents/silences.html", {"page": page, "rows": listed, "may_handle": may_handle})


def _state(silence: Silence, now: datetime) -> str:
    if silence.cancelled_at or silence.ends_at <= now:
        return gettext("Over")
    return gettext("Quiet") if silence.starts_at <= now else gettext("To come")


def _icon(silence: Silence, now: datetime) -> str:
    over = silence.cancelled_at or silence.ends_at <= now
    return "idle" if over else "maintenance"


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """`/silences/new?incident=7`. First the preview, then, with the same words, it is set."""
    _noc_only(request)
    require(request.user, Verb.HANDLE_INCIDENTS)
    form = SilenceForm(request.POST or None, initial=_initial(request))
    found = _draft(request, form) if request.method == "POST" and form.is_valid() else None
    if found is not None and request.POST.get("act") == "set":
        verbs.silence(wanted=found)
        messages.success(
            request, gettext("It is quiet until %(when)s UTC.") % {"when": f"{found.ends_at:%-d %b %H:%M}"}
        )
        return redirect("silences")
    context = {
        "form": form,
        "preview": verbs.preview(found) if found else None,
        "wanted": found,
        "lengths": LENGTHS,
        "kinds": Incident.Kind.choices,
        "about": form["incident"].value() and Incident.objects.filter(pk=_number(form["incident"].value())).first(),
        "disk": form["disk"].value()
        and Disk.objects.select_related("machine").filter(pk=_number(form["disk"].value())).first(),
        "pools": Pool.objects.order_by("name").values_list("name", flat=True)[:MOST_NAMES],
        "customers": Customer.objects.order_by("name").values_list("name", flat=True)[:MOST_NAMES],
    }
    return render(request, "incidents/silence.html", context, status=422 if form.errors else 200)


def _number(value: Any) -> int | None:
    """An id from an address or a form, which may be anything."""
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _initial(request: HttpRequest) -> dict[str, Any]:
    """What the address names."""
    return {
        "incident": _number(request.GET.get("incident", "")),
        "disk": _number(request.GET.get("disk", "")),
        "pool": request.GET.get("pool", "")[:100],
        "customer": request.GET.get("customer", "")[:200],
        "hours": 4,
    }


def _draft(request: HttpRequest, form: SilenceForm) -> Silence | None:
    wanted = form.cleaned_data
    try:
        return verbs.draft(
            author=request.user,
            reason=wanted["reason"],
            ends_at=datetime.now(UTC) + timedelta(hours=wanted["hours"]),
            kinds=wanted["kinds"],
            **{name: wanted[name] for name in ("incident", "pool", "machine", "customer", "disk")},
        )
    except verbs.OddSilence as error:
        form.add_error(error.field if error.field in form.fields else None, str(error))
        return None


@login_required
@require_POST
def end(request: HttpRequest, silence_id: int) -> HttpResponse:
    """Loud again."""
    _noc_only(request)
    require(request.user, Verb.HANDLE_INCIDENTS)
    found = Silence.objects.filter(pk=silence_id).first()
    if found is None:
        raise Http404(f"there is no silence {silence_id}")
    verbs.end_silence(silence=found, actor=request.user)
    messages.success(request, gettext("It is loud again."))
    return redirect("silences")
