"""Which customers are there, and what do they have? For the NOC; its administrators add and change them."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods

from sla.accounts.models import Customer, Membership, User
from sla.accounts.people import add_customer, change_customer
from sla.accounts.permissions import Verb, may, require
from sla.accounts.selectors import customers_visible_to, is_noc
from sla.domain.states import State
from sla.fleet.models import Disk
from sla.web.people.ask import visible_customer
from sla.web.people.languages import language_field
from sla.web.people.zones import check_zone, known_zones

PAGE = 100


class CustomerForm(forms.ModelForm):  # type: ignore[type-arg]
    """Its name, zone and language."""

    language = language_field(gettext_lazy("the house's own"))

    class Meta:
        model = Customer
        fields = ("name", "zone", "language")
        labels = {"name": gettext_lazy("Name"), "zone": gettext_lazy("Time zone")}

    def clean_name(self) -> str:
        """One name, whatever its capitals."""
        name = " ".join(self.cleaned_data["name"].split())
        if Customer.objects.filter(name__iexact=name).exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError(gettext("There is a customer of that name."))
        return name

    def clean_zone(self) -> str:
        return check_zone(self.cleaned_data["zone"])


@login_required
@require_http_methods(["GET", "POST"])
def customers(request: HttpRequest) -> HttpResponse:
    """The list; POST adds one."""
    if not is_noc(request.user):
        raise Http404
    form = CustomerForm(request.POST if request.method == "POST" else None, initial={"zone": "UTC"})
    if request.method == "POST":
        require(request.user, Verb.KEEP_CUSTOMERS)
        if form.is_valid():
            by = User.objects.get(pk=request.user.pk)
            made = add_customer(**form.cleaned_data, by=by)
            return redirect("members", made.pk)
    return render(request, "people/customers.html", _listed(request, form), status=422 if form.errors else 200)


def _listed(request: HttpRequest, form: CustomerForm) -> dict[str, Any]:
    q = request.GET.get("q", "").strip()[:100]
    found = customers_visible_to(request.user).filter(name__icontains=q).order_by("name")
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    shown = list(page.object_list)
    disks = {
        row["machine__customer"]: row
        for row in Disk.objects.filter(machine__customer__in=shown, removed_at=None)
        .values("machine__customer")
        .annotate(
            all=Count("id"),
            machines=Count("machine", distinct=True),
            breached=Count("id", filter=Q(now__state=State.BREACHED)),
            at_risk=Count("id", filter=Q(now__state=State.AT_RISK)),
        )
    }
    people = dict(Membership.objects.filter(customer__in=shown).values_list("customer").annotate(Count("id")))
    rows = [{"customer": one, "disks": disks.get(one.pk), "people": people.get(one.pk, 0)} for one in shown]
    keeps = may(request.user, Verb.KEEP_CUSTOMERS)
    return {"page": page, "rows": rows, "form": form, "q": q, "keeps": keeps, "zones": known_zones() if keeps else ()}


@login_required
@require_http_methods(["GET", "POST"])
def customer_settings(request: HttpRequest, customer_id: int) -> HttpResponse:
    """Name, zone and language."""
    customer = visible_customer(request, customer_id)
    require(request.user, Verb.KEEP_CUSTOMERS)
    form = CustomerForm(
        request.POST if request.method == "POST" else None, instance=Customer.objects.get(pk=customer.pk)
    )
    if request.method == "POST" and form.is_valid():
        by = User.objects.get(pk=request.user.pk)
        change_customer(customer=customer, **form.cleaned_data, by=by)
        messages.success(request, gettext("Kept."))
        return redirect("customer", customer.pk)
    context = {"customer": customer, "form": form, "zones": known_zones()}
    return render(request, "people/customer_settings.html", context, status=422 if form.errors else 200)
