"""What hangs on the wall of the NOC? Counts, what is out of contract, what changed, in big type; it turns its pages."""

from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from sla.domain.states import State
from sla.scoring import listing
from sla.web.changes import last_hour
from sla.web.fleet_lines import lines
from sla.web.fleet_page import TILES
from sla.web.fleet_rows import out_of_contract, said

ROWS = 6  # what can be read across a room
NEWS = 6


@login_required
@require_safe
def wall_page(request: HttpRequest) -> HttpResponse:
    """`/wall`; with `?turn=n` the n-th page of what is out of contract, for the board's own refresh."""
    board = _board(request, datetime.now(UTC))
    live = request.headers.get("HX-Request") == "true"
    return render(request, "noc/wall-live.html" if live else "noc/wall.html", board)


def _board(request: HttpRequest, at: datetime) -> dict[str, Any]:
    user = request.user
    counts = listing.counts(user)
    out = counts["breached"] + counts["at_risk"]
    turns = max(1, -(-out // ROWS))
    turn = _turn(request.GET.get("turn", ""), turns)
    bad = listing.listed(user).filter(now__state__in=(State.BREACHED, State.AT_RISK))
    shown = lines(bad[turn * ROWS : (turn + 1) * ROWS]) if out else []
    return {
        "counts": counts,
        "total": sum(counts.values()),
        "tiles": [{"state": state.word, "word": said(state), "count": counts[state.word]} for state in TILES],
        "rows": out_of_contract(shown, at),
        "turn": turn + 1,
        "turns": turns,
        "following": (turn + 1) % turns,
        "news": last_hour(user, at, NEWS),
    }


def _turn(text: str, turns: int) -> int:
    """A page that there is no more starts again."""
    return int(text) % turns if text.isdecimal() and len(text) < 6 else 0
