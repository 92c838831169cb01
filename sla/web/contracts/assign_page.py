"""Which disks shall a contract judge, and from when? The fleet's filter chooses; what it touches is shown first."""

from datetime import UTC, datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from sla.accounts.permissions import Verb, require
from sla.contracts.models import ContractVersion
from sla.contracts.visible import contracts_visible_to
from sla.scoring import listing
from sla.scoring.terms_changed import assign_and_rescore
from sla.web.disk_range import RangeError, parse_moment
from sla.web.fleet_query import asked_for

# Two seconds of work; more goes through the API in turns.
MOST_DISKS = 1_000
SHOWN = 12


class AssignForm(forms.Form):
    """Which version, and from when."""

    version = forms.ModelChoiceField(ContractVersion.objects.none())
    at = forms.CharField(max_length=40, required=False)

    def __init__(self, *args: Any, by: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["version"]
        assert isinstance(field, forms.ModelChoiceField)  # noqa: S101
        field.queryset = ContractVersion.objects.filter(contract__in=contracts_visible_to(by)).select_related(
            "contract"
        )

    def clean_at(self) -> datetime:
        """A moment with its zone; nothing is now."""
        text = self.cleaned_data["at"].strip()
        try:
            return datetime.fromtimestamp(parse_moment(text), UTC) if text else datetime.now(UTC)
        except RangeError as error:
            raise forms.ValidationError(str(error)) from error


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def assign_page(request: HttpRequest) -> HttpResponse:
    """`/contracts/assign?customer=&pool=&q=&state=&version=`: the same words as the fleet's address."""
    require(request.user, Verb.KEEP_CONTRACTS)
    asked = asked_for(request.GET, noc=request.user.is_noc)
    disks = listing.listed(request.user, asked.filter)
    count = disks.order_by().count()
    initial = {"version": request.GET.get("version")}
    form = AssignForm(request.POST or None, by=request.user, initial=initial)
    if count > MOST_DISKS:
        form.errors["__all__"] = form.error_class(
            [gettext("%(count)d disks are more than the %(most)d of one turn.") % {"count": count, "most": MOST_DISKS}]
        )
    elif request.method == "POST" and form.is_valid():
        # The count that was agreed to: a machine that enrolled meanwhile must not slip in.
        if request.POST.get("count") != str(count):
            form.add_error(None, gettext("There are %d disks now: look again before you agree.") % count)
        elif _assigned(request, form, list(disks)):
            return redirect("fleet")
    counted = disks.order_by().values("now__term").annotate(disks=Count("id")).order_by("-disks", "now__term")
    under = list(counted.values_list("now__term", "disks"))
    now_under = under[:SHOWN]
    versions = ContractVersion.objects.select_related("contract").in_bulk([term for term, _ in now_under if term])
    context = {
        "form": form,
        "asked": asked,
        "count": count,
        "disks": disks[:SHOWN],
        "more": max(0, count - SHOWN),
        "under": [(versions.get(term), number) for term, number in now_under],
        "more_under": len(under) - len(now_under),
        "versions": form.fields["version"].queryset.order_by("contract__customer__name", "contract__name", "-number")[
            :500
        ],
        "chosen": str(form["version"].value() or ""),
        "query": asked.query(),
    }
    return render(request, "contracts/assign.html", context, status=400 if form.errors else 200)


def _assigned(request: HttpRequest, form: AssignForm, disks: list[Any]) -> bool:
    version, at = form.cleaned_data["version"], form.cleaned_data["at"]
    foreign = version.contract.customer_id
    others = [disk for disk in disks if foreign and disk.machine.customer_id != foreign]
    if others:
        said = gettext("%(contract)s is %(customer)s’s own: %(disk)s is another’s.")
        words = {"contract": version.contract, "customer": version.contract.customer, "disk": others[0]}
        form.add_error("version", said % words)
        return False
    try:
        with transaction.atomic():
            changed = assign_and_rescore(disks=disks, version=version, at=at, actor=request.user)
    except ValueError as error:
        form.add_error("at", str(error))
        return False
    messages.success(
        request, gettext("%(count)d disks are judged by %(text)s.") % {"count": changed, "text": version.text}
    )
    return True
