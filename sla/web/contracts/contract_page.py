"""One contract: its versions, what the newest means, a new version with a check as it is typed and its price."""

from datetime import UTC, datetime
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods

from sla.accounts.permissions import Verb, may, require
from sla.contracts.models import Contract, ContractVersion
from sla.contracts.services import add_version
from sla.contracts.visible import contracts_visible_to
from sla.domain.period import PeriodError, parse_period, period_of
from sla.domain.price_text import print_fee, print_tiers
from sla.fleet.selectors import disks_visible_to
from sla.scoring.terms import domain_contract
from sla.scoring.what_if import summary, what_if_from_hours
from sla.web.contracts.price_form import PriceForm
from sla.web.contracts.words import MAX_TEXT, checked, facts_of, tiers_said

# A month of a thousand disks takes about two seconds from hours.
MOST_DISKS = 1_000


def visible_contract(request: HttpRequest, contract_id: int) -> Contract:
    """404 for what does not exist and for what this person may not see alike."""
    contract = contracts_visible_to(request.user).filter(pk=contract_id).first()
    if contract is None:
        raise Http404(f"there is no contract {contract_id}")
    return contract


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def contract_page(request: HttpRequest, contract_id: int) -> HttpResponse:
    """`/contracts/7`; a POST adds a version."""
    contract = visible_contract(request, contract_id)
    typed, refused = "", False
    price = PriceForm(request.POST or None)
    if request.method == "POST":
        require(request.user, Verb.KEEP_CONTRACTS)
        typed = request.POST.get("text", "")[: MAX_TEXT + 1]
        said = checked(typed)
        if said.contract is not None and price.is_valid():
            version = add_version(contract=contract, text=typed, actor=request.user, price=price.price())
            messages.success(
                request,
                gettext("Version %d is written. It judges nothing until it is assigned to disks.") % version.number,
            )
            return redirect("contract", contract.pk)
        refused = True
    mine = disks_visible_to(request.user).filter(removed_at=None).select_related(None).values("pk")
    versions = list(
        contract.versions.order_by("-number").annotate(
            disks=Count("assignments", filter=Q(assignments__valid_to=None, assignments__disk__in=mine))
        )
    )
    newest = versions[0] if versions else None
    text = typed or (newest.text if newest else "")
    context = {
        "contract": contract,
        "versions": versions,
        "newest": newest,
        "facts": _facts(newest) if newest else [],
        "may_keep": may(request.user, Verb.KEEP_CONTRACTS),
        "text": text,
        "fee": price["fee"].value() if refused else print_fee(newest.fee_cents, newest.currency) if newest else "",
        "credits": price["credits"].value() if refused else print_tiers(_tiers(newest)),
        "price_errors": price.errors,
        "check": checked(text),
        "period": period_of(datetime.now(UTC)).text,
    }
    return render(request, "contracts/contract.html", context, status=400 if refused else 200)


def _facts(version: ContractVersion) -> list[tuple[str, str]]:
    fee = print_fee(version.fee_cents, version.currency) or gettext("not said")
    return [
        *facts_of(domain_contract(version)),
        (gettext("fee of a month"), fee),
        (gettext("credits"), tiers_said(_tiers(version))),
    ]


def _tiers(version: ContractVersion | None) -> tuple[tuple[int, int], ...]:
    return domain_contract(version).credit_tiers if version else ()


@login_required
@require_GET
def check(request: HttpRequest) -> HttpResponse:
    """What a text means, as it is typed."""
    return render(request, "contracts/check.html", {"check": checked(request.GET.get("text", "")[: MAX_TEXT + 1])})


@login_required
@require_GET
def preview(request: HttpRequest, contract_id: int) -> HttpResponse:
    """What a month of the contract's disks would have been worth under the text, beside what it is under today's."""
    contract = visible_contract(request, contract_id)
    said = checked(request.GET.get("text", "")[: MAX_TEXT + 1])
    context: dict[str, Any] = {"check": said}
    newest = contract.versions.order_by("-number").first()
    if said.contract is not None and newest is not None:
        context |= _priced(request, contract, said.contract, domain_contract(newest))
    return render(request, "contracts/preview.html", context)


def _priced(request: HttpRequest, contract: Contract, then: Any, now: Any) -> dict[str, Any]:
    try:
        period = parse_period(request.GET.get("period", ""), then.zone)
    except PeriodError as error:
        return {"wrong": str(error)}
    judged = disks_visible_to(request.user).filter(now__term__in=contract.versions.values("pk"), removed_at=None)
    disks = list(judged.values_list("pk", flat=True).order_by("pk")[: MOST_DISKS + 1])
    if len(disks) > MOST_DISKS:
        return {"wrong": gettext("Over %d disks: the command what_if prices them all.") % MOST_DISKS}
    rows = [
        {"word": word, **summary(list(what_if_from_hours(disks, period, terms)), terms)}
        for word, terms in ((gettext("as it stands"), now), (gettext("as typed"), then))
    ]
    return {"rows": rows, "period": period.text}
