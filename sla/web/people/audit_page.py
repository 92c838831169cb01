"""Who changed what, and what was it before? The NOC reads all, a manager what concerns their customer."""

import csv
import json
from collections.abc import Iterator
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from sla.accounts.audit import audit_visible_to, changes, looked_for
from sla.accounts.models import AuditEntry
from sla.accounts.permissions import Verb, require
from sla.web.people.audit_query import AuditForm

PAGE = 100
# A spreadsheet holds a million rows; who wants more asks by months.
MOST_ROWS = 1_000_000
# What a spreadsheet would take for a formula is text here: names of people and machines come from outside.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


@login_required
@never_cache
@require_safe
def audit(request: HttpRequest) -> HttpResponse:
    """A hundred at a time, newest first; `before` goes on where a page ended."""
    require(request.user, Verb.READ_AUDIT)
    form = AuditForm(request)
    entries = looked_for(audit_visible_to(request.user), form.wanted())
    before = request.GET.get("before", "")
    if before.isdecimal() and len(before) < 19:
        entries = entries.filter(id__lt=int(before))
    shown = list(entries[: PAGE + 1])
    context = {
        "form": form,
        "rows": [{"entry": entry, "changes": changes(entry)} for entry in shown[:PAGE]],
        "following": form.query(before=shown[PAGE - 1].pk) if len(shown) > PAGE else "",
        "first": form.query() if before else None,
        "csv": form.query(),
        "customers": form.fields["customer"].queryset,
        "chosen": form.data.get("customer", ""),
    }
    return render(request, "people/audit.html", context)


class _Echo:
    """What csv writes to: hands back what it is given."""

    def write(self, text: str) -> str:
        return text


def _cell(value: Any) -> str:
    text = "" if value is None else value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return f"'{text}" if text.startswith(FORMULA) else text


def _line(entry: AuditEntry) -> list[str]:
    customer = entry.customer.name if entry.customer else ""
    at = entry.at.strftime("%Y-%m-%dT%H:%M:%SZ")
    told = (entry.actor_label, customer, entry.verb, entry.object_label, entry.before, entry.after)
    return [str(entry.pk), at, *(_cell(value) for value in told)]


@login_required
@never_cache
@require_safe
def audit_csv(request: HttpRequest) -> StreamingHttpResponse:
    """The same rows as a file, all of them, as they are read."""
    require(request.user, Verb.READ_AUDIT)
    entries = looked_for(audit_visible_to(request.user), AuditForm(request).wanted())[:MOST_ROWS]
    writer = csv.writer(_Echo())

    def lines() -> Iterator[str]:
        yield writer.writerow(["id", "at_utc", "who", "customer", "did", "to_what", "before", "after"])
        for entry in entries.iterator(chunk_size=2000):
            yield writer.writerow(_line(entry))

    headers = {"Content-Disposition": 'attachment; filename="audit.csv"'}
    return StreamingHttpResponse(lines(), content_type="text/csv; charset=utf-8", headers=headers)
