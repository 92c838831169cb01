"""Statements as the API gives them: the list, each as PDF, CSV, JSON and bundle, and the check of a printed code."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils import translation
from ninja import Router

from sla.accounts.models import Customer
from sla.accounts.selectors import customers_visible_to
from sla.api.errors import Refused
from sla.api.paging import DEFAULT_LIMIT, checked_limit, decode_cursor, encode_cursor
from sla.domain.period import PeriodError, parse_period
from sla.domain.statement.canonical import canonical
from sla.domain.statement.schema import SCHEMA
from sla.reports import pieces, printing
from sla.reports.bundle import bundle, minutes_kept, slots_of, spans_of
from sla.reports.envelope import statement_json
from sla.reports.evidence import Span, seconds_csv
from sla.reports.models import Statement
from sla.reports.selectors import after, by_code, statement_item, statements_visible_to
from sla.reports.services import HOURS_FILE, draft

router = Router(tags=["reports"])
CSV, JSON, PDF, ZIP = "text/csv; charset=utf-8", "application/json", "application/pdf", "application/zip"


def visible(request: HttpRequest, report: int) -> Statement:
    """The statement; 404 for what does not exist and for what the caller may not see alike."""
    found = statements_visible_to(request.user).defer(None).filter(pk=report).first()
    if found is None:
        raise Refused(404, "not_found", f"there is no report {report}")
    return found


@router.get("", summary="Statements, newest month first")
def reports(
    request: HttpRequest, period: str = "", customer: str = "", limit: int = DEFAULT_LIMIT, cursor: str = ""
) -> dict[str, Any]:
    """`customer` by name or id. Corrected statements stay in the list and name what follows them."""
    found = statements_visible_to(request.user)
    if period:
        found = found.filter(period=checked_period(period))
    if customer:
        found = found.filter(customer=_customer(request, customer))
    if key := decode_cursor(cursor, 4):
        found = after(found, *key)
    limit = checked_limit(limit)
    page = list(found[: limit + 1])
    more, page = len(page) > limit, page[:limit]
    last = page[-1] if more else None
    return {
        "items": [statement_item(one) for one in page],
        "next_cursor": encode_cursor(last.period, last.customer.name, last.issue, last.pk) if last else None,
    }


@router.get("/verify", auth=None, summary="Whose statement is this code, and is it still in force?")
def verify(request: HttpRequest, code: str) -> dict[str, Any]:
    """For whoever holds the page: no account is needed, and without the code nothing is told."""
    found = by_code(code)
    if found is None:
        raise Refused(404, "unknown_code", f"no statement has the check code {code[:40]!r}", "code")
    item = statement_item(found)
    names = ("number", "customer", "period", "supersedes", "superseded_by", "frozen_at", "digest", "code", "key")
    return {"valid": True, **{name: item[name] for name in names}, "summary": item["summary"]}


@router.get("/schema.json", auth=None, summary="The shape of a statement, as JSON Schema")
def schema(request: HttpRequest) -> dict[str, Any]:
    return SCHEMA


@router.get("/draft.json", summary="The open month so far, signed by nobody")
def draft_json(request: HttpRequest, period: str, customer: str = "") -> HttpResponse:
    """`customer` by name or id; one's own where there is only one."""
    document = draft(customer=_customer(request, customer), period=checked_period(period))
    return sent(b'{"statement":' + canonical(document) + b"}", JSON, f"draft-{period}.json")


@router.get("/draft.pdf", summary="The same on paper, marked as a draft")
def draft_pdf(request: HttpRequest, period: str, customer: str = "", language: str = "") -> HttpResponse:
    document = draft(customer=_customer(request, customer), period=checked_period(period))
    return sent(printing.print_document(document, language=checked_language(language)), PDF, f"draft-{period}.pdf")


@router.get("/{int:report}.json", summary="What was stated, with its signature")
def report_json(request: HttpRequest, report: int) -> HttpResponse:
    statement = visible(request, report)
    return sent(statement_json(statement), JSON, f"{statement.number}.json")


@router.get("/{int:report}.pdf", summary="The same on paper")
def report_pdf(request: HttpRequest, report: int, language: str = "") -> HttpResponse:
    """As it was first printed; with `language` in another one."""
    statement = visible(request, report)
    if checked_language(language):
        return sent(printing.print_statement(statement, language), PDF, f"{statement.number}-{language}.pdf")
    return sent(printing.pdf_of(statement), PDF, f"{statement.number}.pdf")


@router.get("/{int:report}.csv", summary="Every disk, every hour: what the statement signs for")
def report_csv(request: HttpRequest, report: int) -> HttpResponse:
    statement = visible(request, report)
    return streamed(pieces.read(statement, HOURS_FILE), CSV, f"{statement.number}-hours.csv")


@router.get("/{int:report}/slots.csv", summary="Every minute, streamed")
def slots_csv(request: HttpRequest, report: int, disk: int | None = None) -> HttpResponse:
    statement = visible(request, report)
    spans = told(statement, disk)
    return streamed(slots_of(spans), CSV, f"{statement.number}-slots.csv")


@router.get("/{int:report}/seconds.csv", summary="Every second that is still kept, streamed")
def seconds(request: HttpRequest, report: int, disk: int | None = None) -> HttpResponse:
    statement = visible(request, report)
    return streamed(seconds_csv(told(statement, disk)), CSV, f"{statement.number}-seconds.csv")


@router.get("/{int:report}/bundle.zip", summary="All that a dispute needs, in one signed bundle")
def report_bundle(request: HttpRequest, report: int, disk: int | None = None) -> HttpResponse:
    statement = visible(request, report)
    if disk is not None and not spans_of(statement.document, disk):
        raise Refused(404, "not_found", f"there is no disk {disk} in {statement.number}", "disk")
    return streamed(bundle(statement, disk), ZIP, f"{statement.number}-bundle.zip")


def told(statement: Statement, disk: int | None) -> list[Span]:
    """The spans of the statement, or of one disk in it. Refused where the minutes are not its own any more."""
    if disk is not None and not spans_of(statement.document, disk):
        raise Refused(404, "not_found", f"there is no disk {disk} in {statement.number}", "disk")
    spans = minutes_kept(statement, disk)
    if not spans:
        raise Refused(409, "not_kept", f"the minutes of {statement.number} are not kept any more, or were corrected")
    return spans


def checked_period(text: str) -> str:
    try:
        return parse_period(text).text
    except PeriodError as error:
        raise Refused(422, "bad_value", str(error), "period") from error


def checked_language(code: str) -> str:
    if code and not translation.check_for_language(code):
        raise Refused(422, "bad_value", f"language is {code[:20]!r}: it must be one like en, fr, ja", "language")
    return code


def _customer(request: HttpRequest, named: str) -> Customer:
    mine = customers_visible_to(request.user)
    if not named:
        own = list(mine[:2])
        if len(own) == 1:
            return own[0]
        raise Refused(422, "bad_value", "say which customer: ?customer=NAME", "customer")
    found = mine.filter(name=named).first()
    if found is None and named.isdecimal() and len(named) < 18:
        found = mine.filter(pk=int(named)).first()
    if found is None:
        raise Refused(404, "not_found", f"there is no customer {named[:60]!r}", "customer")
    return found


def sent(body: bytes, kind: str, name: str) -> HttpResponse:
    return _named(HttpResponse(body, content_type=kind), name)


def streamed(blocks: Iterable[bytes], kind: str, name: str) -> HttpResponse:
    """Sent as it is made. What is packed already must not be packed again."""
    response = StreamingHttpResponse(blocks, content_type=kind)
    if kind == ZIP:
        response["Content-Encoding"] = "identity"
    return _named(response, name)


def _named(response: Any, name: str) -> Any:
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "private, no-store"
    return response
