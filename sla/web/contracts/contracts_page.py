"""What is promised, to whom, and how many disks stand how under it? And a new contract."""

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db import IntegrityError, transaction
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from sla.accounts.models import Customer, User
from sla.accounts.permissions import Verb, may, require
from sla.accounts.selectors import customers_visible_to
from sla.contracts.models import Contract, ContractVersion
from sla.contracts.services import add_version
from sla.contracts.visible import contracts_visible_to
from sla.domain.contract import ContractError
from sla.domain.contract_text import parse_contract
from sla.domain.states import State
from sla.fleet.models import Disk
from sla.fleet.selectors import disks_visible_to
from sla.web.contracts.price_form import PriceForm
from sla.web.contracts.words import MAX_TEXT, checked

PAGE = 100


class ContractForm(PriceForm):
    """A name, whose it is, and its terms as typed."""

    name = forms.CharField(max_length=100)
    customer = forms.ModelChoiceField(Customer.objects.none(), required=False)
    text = forms.CharField(max_length=MAX_TEXT)
    is_default = forms.BooleanField(required=False)

    def __init__(self, *args: Any, by: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["customer"]
        assert isinstance(field, forms.ModelChoiceField)  # noqa: S101
        field.queryset = customers_visible_to(by).order_by("name")

    def clean_text(self) -> str:
        """Terms that can be read; the word that is wrong is named."""
        try:
            return parse_contract(self.cleaned_data["text"]).text
        except ContractError as error:
            raise forms.ValidationError(str(error)) from error


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def contracts(request: HttpRequest) -> HttpResponse:
    """`/contracts`; a POST makes one and goes to its page."""
    form = ContractForm(request.POST or None, by=request.user)
    if request.method == "POST":
        require(request.user, Verb.KEEP_CONTRACTS)
        if form.is_valid() and (made := make(form, request.user)):
            return redirect("contract", made.pk)
    page = Paginator(listed(request.user), PAGE).get_page(request.GET.get("page"))
    standing = standings(request.user, [one.pk for one in page.object_list])
    for one in page.object_list:
        one.stands = standing.get(one.pk, {})
    may_keep = may(request.user, Verb.KEEP_CONTRACTS)
    context = {
        "page": page,
        "form": form,
        "may_keep": may_keep,
        "check": checked(form["text"].value() or "") if form.is_bound else None,
    }
    return render(request, "contracts/list.html", context, status=400 if form.is_bound else 200)


def make(form: ContractForm, by: User) -> Contract | None:
    """The contract with its first version; None, and the form says why, where there is one of that name."""
    wanted = form.cleaned_data
    try:
        with transaction.atomic():
            contract = Contract.objects.create(
                name=wanted["name"], customer=wanted["customer"], is_default=wanted["is_default"]
            )
            add_version(contract=contract, text=wanted["text"], actor=by, price=form.price())
    except IntegrityError:
        whose = wanted["customer"] or gettext("everybody")
        form.add_error("name", gettext("There is one of that name, or another default, for %s already.") % whose)
        return None
    return contract


def listed(user: User) -> QuerySet[Contract]:
    """Everybody's first, then by customer; each with its newest text."""
    newest = ContractVersion.objects.filter(contract=OuterRef("pk")).order_by("-number")
    return (
        contracts_visible_to(user)
        .annotate(
            text=Subquery(newest.values("text")[:1]),
            number=Subquery(newest.values("number")[:1]),
            written_at=Subquery(newest.values("created_at")[:1]),
        )
        .order_by("customer__name", "name")
    )


def standings(user: User, contracts: list[int]) -> dict[int, dict[str, int]]:
    """Per contract how many of the visible disks it judges now, and how many of them are out of it."""
    terms = dict(ContractVersion.objects.filter(contract__in=contracts).values_list("pk", "contract"))
    disks: QuerySet[Disk] = disks_visible_to(user).select_related(None)
    rows = (
        disks.filter(removed_at=None, now__term__in=list(terms))
        .values("now__term")
        .annotate(all=Count("id"), breached=Count("id", filter=Q(now__state=State.BREACHED)))
        .values_list("now__term", "all", "breached")
    )
    found: dict[int, dict[str, int]] = {}
    for term, every, breached in rows:
        one = found.setdefault(terms[term], {"all": 0, "breached": 0})
        one["all"] += every
        one["breached"] += breached
    return found
