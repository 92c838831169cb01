"""What was measured and judged of one disk: slots, seconds, a period's score, and where each number comes from."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest
from ninja import Query, Router

from sla.api.disks import visible_disk
from sla.api.errors import Refused
from sla.domain.period import PeriodError
from sla.fleet.vantage import Vantage
from sla.scoring import selectors
from sla.scoring.explain import explain_period, explain_slot
from sla.scoring.score import score as period_score
from sla.scoring.tipping import tipping_point

router = Router(tags=["evidence"])
VANTAGES = [choice.label for choice in Vantage]
HOUR_S = 3600
LATEST_S = 2**32  # the year 2106


def _vantage(word: str | None) -> str | None:
    if word is not None and word not in VANTAGES:
        raise Refused(422, "bad_value", f"vantage is {word[:40]!r}: it must be guest or host", "vantage")
    return word


def _span(
    request: HttpRequest,
    disk_id: int,
    begin: int | None,
    end: int | None,
    vantage: str | None,
    read: Callable[..., Any],
) -> dict[str, Any]:
    """Items over [from, to): the last hour where nothing is said."""
    disk = visible_disk(request, disk_id)
    end = int(datetime.now(UTC).timestamp()) if end is None else end
    begin = end - HOUR_S if begin is None else begin
    if not 0 <= begin < end <= LATEST_S:
        raise Refused(422, "bad_value", f"from {begin} to {end} is no span of Unix seconds", "from")
    try:
        items = read(disk.pk, begin, end, _vantage(vantage))
    except selectors.SpanTooLong as error:
        raise Refused(422, "span_too_long", str(error), "to") from error
    return {"items": items, "next_cursor": None}


@router.get("/{int:disk_id}/slots", summary="Its minutes")
def slots(
    request: HttpRequest,
    disk_id: int,
    begin: int | None = Query(None, alias="from"),
    end: int | None = Query(None, alias="to"),
    vantage: str | None = None,
) -> dict[str, Any]:
    """At most 40 days in one answer; Unix seconds."""
    return _span(request, disk_id, begin, end, vantage, selectors.slots)


@router.get("/{int:disk_id}/seconds", summary="Its seconds")
def seconds(
    request: HttpRequest,
    disk_id: int,
    begin: int | None = Query(None, alias="from"),
    end: int | None = Query(None, alias="to"),
    vantage: str | None = None,
) -> dict[str, Any]:
    """At most two hours in one answer; each with the word for what it was."""
    return _span(request, disk_id, begin, end, vantage, selectors.seconds)


@router.get("/{int:disk_id}/score", summary="A calendar month against its contract")
def score(request: HttpRequest, disk_id: int, period: str | None = None, vantage: str | None = None) -> dict[str, Any]:
    """`period` like 2026-11, in the contract's zone; the open one where nothing is said."""
    disk = visible_disk(request, disk_id)
    try:
        return period_score(disk.pk, period or _this_month(disk), _vantage(vantage))
    except PeriodError as error:
        raise Refused(422, "bad_value", str(error), "period") from error


@router.get("/{int:disk_id}/explain", summary="Where a number comes from")
def explain(
    request: HttpRequest, disk_id: int, slot: int | None = None, period: str | None = None, vantage: str | None = None
) -> dict[str, Any]:
    """A slot down to its seconds (`slot`: any moment in its minute), or a period down to its worst minutes."""
    disk = visible_disk(request, disk_id)
    if (slot is None) == (period is None):
        raise Refused(422, "bad_value", "say slot=<Unix seconds> or period=<year-month>, one of them", "slot")
    if period is not None:
        try:
            return explain_period(disk.pk, period, _vantage(vantage))
        except PeriodError as error:
            raise Refused(422, "bad_value", str(error), "period") from error
    if not 0 <= (slot or 0) < LATEST_S:
        raise Refused(422, "bad_value", f"slot is {slot}: it must be a moment in Unix seconds", "slot")
    answer = explain_slot(disk.pk, slot or 0, _vantage(vantage))
    if answer is None:
        raise Refused(404, "not_found", f"nothing is stored of disk {disk_id} for the minute of {slot}")
    return answer


@router.get("/{int:disk_id}/tipping-point", summary="The load at which it stops answering in time")
def tipping(request: HttpRequest, disk_id: int, days: int = 7, load: float | None = None) -> dict[str, Any]:
    """Latency against load from its own traffic; `load`: for how many I/Os a second disks are to be counted."""
    disk = visible_disk(request, disk_id)
    try:
        return tipping_point(disk.pk, datetime.now(UTC).timestamp(), days, load)
    except ValueError as error:
        raise Refused(422, "bad_value", str(error), "days" if "days" in str(error) else "load") from error


def _this_month(disk: Any) -> str:
    now = getattr(disk, "now", None)
    return now.period if now and now.period else datetime.now(UTC).strftime("%Y-%m")
