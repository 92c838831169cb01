"""How does a machine get in? An operator of the NOC, or a manager of the customer, makes a key; shown this once."""

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from sla.accounts.models import Customer, User
from sla.accounts.permissions import Verb, may, require
from sla.accounts.selectors import customers_visible_to
from sla.accounts.services import record
from sla.fleet.services import issue_enrolment_key

# Long enough for a roll-out of a day or two, short enough that a forgotten key is no door.
LIFETIME = timedelta(days=7)


class KeyForm(forms.Form):
    """For whom, and for how many machines."""

    customer = forms.CharField(max_length=200)
    uses = forms.IntegerField(min_value=1, max_value=10_000, initial=1)
    for_hypervisors = forms.BooleanField(required=False)

    def __init__(self, *args: Any, by: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.by = by

    def clean_customer(self) -> str:
        """One that this person may make keys for, or, for who keeps customers, a new one."""
        name = " ".join(self.cleaned_data["customer"].split())
        known = customers_visible_to(self.by).filter(name=name).first()
        if known is None and not may(self.by, Verb.KEEP_CUSTOMERS):
            raise forms.ValidationError(gettext("There is no customer of that name."))
        if known is not None:
            require(self.by, Verb.MAKE_KEYS, known)
        return name

    def clean_for_hypervisors(self) -> bool:
        wanted: bool = self.cleaned_data["for_hypervisors"]
        if wanted:
            require(self.by, Verb.MAKE_HYPERVISOR_KEYS)
        return wanted


def may_make_keys(user: User) -> bool:
    """Operators and administrators of the NOC, managers of a customer."""
    return may(user, Verb.MAKE_KEYS)


@transaction.atomic
def make_key(form: KeyForm, by: User) -> tuple[Customer, str]:
    """The key in clear; a customer that is new is added, and both are written into the audit trail."""
    wanted = form.cleaned_data
    customer, new = Customer.objects.get_or_create(name=wanted["customer"])
    if new:
        record(verb="customer added", object_label=customer.name, actor=by, customer=customer)
    key = issue_enrolment_key(
        customer=customer,
        name=f"made by {by.get_username()}",
        uses=wanted["uses"],
        lifetime=LIFETIME,
        for_hypervisors=wanted["for_hypervisors"],
        by=by,
    )
    after = {"uses": wanted["uses"], "days": LIFETIME.days, "for_hypervisors": wanted["for_hypervisors"]}
    record(verb="enrolment key made", object_label=customer.name, actor=by, customer=customer, after=after)
    return customer, key


@login_required
@require_POST
@never_cache
def agent_key(request: HttpRequest) -> HttpResponse:
    """The page with the key, or with what was wrong in the form."""
    require(request.user, Verb.MAKE_KEYS)
    form = KeyForm(request.POST, by=request.user)
    if not form.is_valid():
        return render(request, "agent_key.html", {"form": form}, status=422)
    customer, key = make_key(form, request.user)
    return render(request, "agent_key.html", {"form": form, "customer": customer, "key": key, "days": LIFETIME.days})
