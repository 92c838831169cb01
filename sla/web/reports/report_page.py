"""One statement on a page: its verdict, disk by disk, what it replaces, and everything there is to download."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from sla.domain.period import period_of
from sla.reports.selectors import statements_visible_to
from sla.reports.sheet.page import sheet

# Lines of the table on the page; the PDF has all of them.
MOST_ROWS = 200


@login_required
@require_safe
def report(request: HttpRequest, report: int) -> HttpResponse:
    """404 for what does not exist and for what the reader may not see alike."""
    statement = statements_visible_to(request.user).defer(None).filter(pk=report).first()
    if statement is None:
        raise Http404
    told = sheet(statement.document, code=statement.code, digest=statement.digest, key=statement.key.name)
    left = MOST_ROWS
    for group in told["table"]["groups"]:
        group["rows"] = group["rows"][:left]
        left = max(0, left - len(group["rows"]))
    replaced = getattr(statement, "superseded_by", None)
    context = {
        "statement": statement,
        "sheet": told,
        "replaced": replaced,
        "open_month": period_of(timezone.now(), statement.customer.zone).text,
        "left_out": max(0, statement.summary["disks"] - MOST_ROWS),
        "has_minutes": replaced is None,
        "disks": statement.document["disks"][:MOST_ROWS],
    }
    return render(request, "reports/report.html", context)
