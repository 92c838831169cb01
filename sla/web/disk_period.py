"""What was one month of a disk worth, and where do its figures come from? Closed ones as they were written down."""

from datetime import UTC, date, datetime
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from sla.domain.period import PeriodError, parse_period
from sla.domain.states import State
from sla.figures import whole
from sla.scoring.closing import history
from sla.scoring.score import score
from sla.web.disk_month import month
from sla.web.disk_page import visible_disk
from sla.web.disk_words import REASONS, cut_percent, digits_for, shown_percent, shown_range
from sla.web.fleet_rows import said


@login_required
@never_cache
@require_GET
def disk_period(request: HttpRequest, disk_id: int, period: str) -> HttpResponse:
    """`/disks/7/2026-10`."""
    disk = visible_disk(request, disk_id)
    try:
        named = parse_period(period)
    except PeriodError as error:
        raise Http404(str(error)) from error
    said_of = score(disk.pk, period)
    context = {
        "disk": disk,
        "period": {"text": named.text, "first": date(named.year, named.month, 1)},
        "earlier": named.previous().text,
        "later": named.next().text if named.end <= datetime.now(UTC) else None,
        "score": said_of,
        "tiles": _tiles(said_of),
        "state": said_of["state"],
        "word": said(State[said_of["state"].upper()]),
        "reasons": [
            REASONS[reason]
            for reason in (*said_of["reasons"], *(["DISPUTED"] if said_of.get("disputed") else []))
            if reason in REASONS
        ],
        "told": month(disk, datetime.now(UTC), period),
        "history": [
            {**one, "made": datetime.fromtimestamp(one["made_at"], UTC), "word": said(State[one["state"].upper()])}
            for one in history(disk, period)
        ],
    }
    return render(request, "disk/period.html", context)


def _tiles(said_of: dict[str, Any]) -> list[dict[str, str]]:
    """Objective, attained, coverage, credit: each with what it is of."""
    objective = said_of["objective"]
    digits = digits_for(round(objective * 1_000_000)) if objective else 2
    low, high = (cut_percent(said_of["sli"][end], digits) for end in ("low", "high"))
    owed = said_of["credit"]
    estimate = cut_percent(said_of["sli"]["estimate"], digits)
    up_to = gettext("proved; up to %(share)s %%")
    evidence = gettext("evidence %(grade)s · %(ios)s I/Os")
    return [
        {
            "word": gettext("objective"),
            "figure": shown_percent(cut_percent(objective)) if objective else "–",
            "note": said_of["contract"] or gettext("no contract was in force"),
        },
        {
            "word": gettext("attained"),
            "figure": shown_range(low, high),
            "note": gettext("estimate %(share)s") % {"share": shown_percent(estimate)}
            if estimate
            else gettext("nothing was judged"),
        },
        {
            "word": gettext("observed"),
            "figure": shown_percent(cut_percent(said_of["coverage"], 1)),
            "note": evidence % {"grade": said_of["grade"], "ios": whole(said_of["ios"])},
        },
        {
            "word": gettext("credit"),
            "figure": f"{owed['proved_percent']} %" if owed else "–",
            "note": up_to % {"share": owed["up_to_percent"]} if owed else gettext("nothing is owed without a contract"),
        },
    ]
