"""One statement on a page: its verdict, disk by disk, what it replaces, and everything there is to download."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from sla.domain.period import period_of
from sla.reports.selectors import statements_visible_to
from sla.reports.sheet import words
from sla.reports.sheet.page import headings, proof, span, tiles, verdict
from sla.reports.sheet.table import groups, ranked

# Lines of the table on the page; the PDF has all of them.
MOST_ROWS = 200


@login_required
@require_safe
def report(request: HttpRequest, report: int) -> HttpResponse:
    """404 for what does not exist and for what the reader may not see alike."""
    statement = statements_visible_to(request.user).defer(None).filter(pk=report).first()
    if statement is None:
        raise Http404
    document, zone = statement.document, statement.document["period"]["zone"]
    told = {
        "customer": document["customer"]["name"],
        "month": words.month(document["period"]["start"], zone),
        "span": span(document),
        "verdict": verdict(document),
        "tiles": tiles(document),
        "table": {**headings(), "groups": groups(document, ranked(document["disks"])[:MOST_ROWS])},
        "proof": proof(document, statement.code, statement.digest, statement.key.name),
    }
    replaced = getattr(statement, "superseded_by", None)
    context = {
        "statement": statement,
        "sheet": told,
        "replaced": replaced,
        "open_month": period_of(timezone.now(), statement.customer.zone).text,
        "left_out": max(0, statement.summary["disks"] - MOST_ROWS),
        "has_minutes": replaced is None,
    }
    return render(request, "reports/report.html", context)
