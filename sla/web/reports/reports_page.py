"""Which months were stated, for whom, how did they end, and what is owed?"""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from sla.accounts.permissions import Verb, may
from sla.accounts.selectors import customers_visible_to, is_noc
from sla.domain.period import period_of
from sla.reports.models import Batch, Statement
from sla.reports.selectors import statements_visible_to
from sla.reports.sheet import words

PAGE = 50
MONTHS = 36
# How long a finished batch stays on the page.
BATCH_SHOWN_S = 3_600
STATES = ("breached", "at_risk", "no_data", "excused", "idle", "met")


@login_required
@require_safe
def reports(request: HttpRequest) -> HttpResponse:
    """`/reports?period=2026-10&customer=NAME&all=1`; corrected ones are hidden unless `all` is asked for."""
    found = statements_visible_to(request.user)
    periods = list(found.order_by("-period").values_list("period", flat=True).distinct()[:MONTHS])
    period, customer = request.GET.get("period", "")[:7], request.GET.get("customer", "")[:200].strip()
    everything = request.GET.get("all") == "1"
    if period:
        found = found.filter(period=period)
    if customer:
        found = found.filter(customer__name__icontains=customer)
    if not everything:
        found = found.filter(superseded_by=None)
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    makes = may(request.user, Verb.CORRECT_STATEMENTS)
    context = {
        "page": page,
        "rows": [row(one) for one in page.object_list],
        "periods": periods,
        "asked": {"period": period, "customer": customer, "all": everything},
        "narrowed": bool(period or customer),
        "several": is_noc(request.user) or customers_visible_to(request.user).count() > 1,
        "may_make": makes,
        "last_month": period_of(timezone.now(), "UTC").previous().text,
        "batch": shown_batch() if is_noc(request.user) else None,
    }
    return render(request, "reports/list.html", context)


def row(statement: Statement) -> dict[str, Any]:
    """A line: what the list tells without opening a document."""
    summary = statement.summary
    owed = [one for one in summary["credits"] if one["up_to_cents"]]
    return {
        "statement": statement,
        "states": [
            {"state": state, "word": words.state(state), "count": summary["states"][state]}
            for state in STATES
            if summary["states"].get(state)
        ],
        "disks": summary["disks"],
        "due": " + ".join(words.money(one["proved_cents"], one["currency"]) for one in owed),
        "up_to": " + ".join(words.money(one["up_to_cents"], one["currency"]) for one in owed),
        "credit_disks": summary["credit_disks"],
        "replaced": getattr(statement, "superseded_by", None),
    }


def shown_batch() -> dict[str, Any] | None:
    """The month that is being stated, or the last one that was within the hour."""
    batch = Batch.objects.select_related("made_by").first()
    if batch is None:
        return None
    if batch.finished_at and (timezone.now() - batch.finished_at).total_seconds() > BATCH_SHOWN_S:
        return None
    return {"batch": batch, "running": batch.finished_at is None, "problems": batch.problems[:20]}
