"""Which disks kept which months? Disks down, months across; a cell opens its period."""

from datetime import UTC, date, datetime
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from sla.domain.period import Period
from sla.scoring import listing
from sla.scoring.matrix import Cell, matrix, months_until
from sla.web.fleet_query import asked_for, page_of
from sla.web.fleet_rows import contracts_of, cut, digits_for, now_of, said

MONTHS = 12


@login_required
@require_safe
def matrix_page(request: HttpRequest) -> HttpResponse:
    """`/matrix?customer=&pool=&q=&state=`: the same filters and pages as the fleet's."""
    now = datetime.now(UTC)
    asked = asked_for(request.GET, noc=request.user.is_noc)
    disks, following = page_of(listing.listed(request.user, asked.filter), asked)
    periods = months_until(now, MONTHS)
    cells = matrix(disks, periods, now)
    periods = _known(periods, {period for row in cells.values() for period in row})
    versions = contracts_of(disks)
    rows = []
    for disk in disks:
        stands = now_of(disk)
        version = versions.get(stands.term) if stands else None
        known = cells.get(disk.pk, {})
        rows.append(
            {
                "disk": disk,
                "contract": version.text if version else None,
                "cells": [_shown(period, known.get(period.text), digits_for(version)) for period in periods],
            }
        )
    context = {
        "rows": rows,
        "months": [date(period.year, period.month, 1) for period in periods],
        "asked": asked,
        "total": sum(listing.counts(request.user, asked.filter).values()),
        "first": asked.query() if asked.after else None,
        "following": asked.query(after=following) if following else None,
    }
    return render(request, "noc/matrix.html", context)


def _known(periods: list[Period], known: set[str]) -> list[Period]:
    """Without the months before the first that anything is known of; this one stands in any case."""
    first = next((place for place, period in enumerate(periods) if period.text in known), len(periods))
    return periods[min(first, len(periods) - 1) :]


def _shown(period: Period, cell: Cell | None, digits: int) -> dict[str, Any]:
    if cell is None:
        return {"period": period.text}
    low, high = cut(cell.low, digits), cut(cell.high, digits)
    return {
        "period": period.text,
        "state": cell.state.word,
        "word": said(cell.state),
        "likely": not cell.proved,
        "low": low,
        "high": high if high != low else None,
        "open": cell.number is None,
        "corrected": cell.number or None,
        "credit": cell.credit_percent or None,
    }
