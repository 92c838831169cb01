"""The fleet: how many disks stand how, which are out of contract now, and all of them, worst first."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import Count, Max, Q, QuerySet, Subquery, Value
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from sla.accounts.models import User
from sla.accounts.permissions import Verb, may
from sla.accounts.selectors import customers_visible_to
from sla.domain.states import WORST_FIRST, State
from sla.domain.verdict import SILENT_S
from sla.figures import month_alone
from sla.fleet.models import Disk, Pool
from sla.fleet.selectors import machines_visible_to
from sla.incidents.selectors import incidents_visible_to, open_now
from sla.scoring import listing
from sla.web.agent_key import may_make_keys
from sla.web.changes import last_hour
from sla.web.fleet_lines import found_lines
from sla.web.fleet_query import PAGE, Asked, asked_for, places_of
from sla.web.fleet_rows import out_of_contract, said, table
from sla.web.whose import whose

OUT = (State.BREACHED, State.AT_RISK)
SHOWN = 6  # rows of the panel; the tiles lead to all of them
TILES = (
    State.BREACHED,
    State.AT_RISK,
    State.MET,
    State.EXCUSED,
    State.IDLE,
    State.NO_DATA,
    State.MAINTENANCE,
)
FILTERS = {"state": gettext_lazy("State"), "q": "", "customer": gettext_lazy("Customer"), "pool": gettext_lazy("Pool")}
COLUMNS = (
    ("disk", gettext_lazy("Disk"), ""),
    ("worst", gettext_lazy("State"), ""),
    ("attained", gettext_lazy("Attained"), "number"),
    ("left", gettext_lazy("Budget left"), "number"),
)


@login_required
@require_safe
def fleet(request: HttpRequest) -> HttpResponse:
    """The page; for its own refresh only the part that changes."""
    asked = asked_for(request.GET, noc=request.user.is_noc)
    live = live_part(request, asked, datetime.now(UTC))
    if request.headers.get("HX-Request") == "true":
        return render(request, "fleet/live.html", live)
    return render(request, "fleet.html", {**live, **_choices(request, asked)})


def live_part(request: HttpRequest, asked: Asked, at: datetime) -> dict[str, Any]:
    """Everything that a minute may change."""
    user = request.user
    counts = listing.counts(user, asked.filter)
    overview = not asked.state and not asked.after
    listed = listing.listed(user, asked.filter)
    worst_first = asked.sort == "worst" and not asked.backwards
    begins = overview and worst_first
    places, following = places_of(_worst(listed, counts) if begins else listed, asked)
    worst = listed.filter(now__state__in=OUT).values("pk")[:SHOWN] if overview and not worst_first else None
    found = found_lines(listed, places, worst)
    page = [found[pk] for pk in places if pk in found]
    out = counts["breached"] + counts["at_risk"]
    shown: list[dict[str, Any]] = []
    if overview and out:
        bad = sorted((line for line in found.values() if line.state in OUT), key=lambda line: line.badness)[:SHOWN]
        rows = out_of_contract(bad, at)
        faults = whose([line.disk for line in bad], {row["disk"] for row in rows if row["strip"]["slow"]}, user, at)
        shown = [{**row, "whose": faults[row["disk"]]} for row in rows]
    machines = _machines(user, at)
    return {
        "asked": asked,
        "tiles": [_tile(state, counts, asked) for state in TILES],
        "counts": counts,
        "machines": machines,
        "burning": shown,
        "more": out - len(shown),
        "open_incidents": (machines["incidents"] or 0) if overview else 0,
        "overview": overview,
        "news": last_hour(user, at) if overview and not asked.narrowed else [],
        "rows": table(page, at),
        "noc": user.is_noc,
        "total": counts[asked.state.word] if asked.state else sum(counts.values()),
        "first": asked.query() if asked.after else None,
        "following": asked.query(after=following) if following else None,
        "columns": {name: _column(asked, name, word, kind) for name, word, kind in COLUMNS},
        "page_size": PAGE,
        "month": month_alone(at),
        "address": asked.query(after=asked.after),
        "chips": _chips(asked),
    }


def _worst(listed: QuerySet[Disk], counts: dict[str, int]) -> QuerySet[Disk]:
    """The worst states that fill the first page twice over: sorting them costs a fraction of sorting all disks."""
    filled = 0
    for rank, state in enumerate(WORST_FIRST):
        filled += counts[state.word]
        if filled > 2 * PAGE and state is not State.NO_DATA:  # what was never judged has no state, and stands last
            return listed.filter(now__rank__lte=rank)
    return listed


def _machines(user: User, at: datetime) -> dict[str, int]:
    """How many there are, how many report, and in the same breath how many incidents are open."""
    incidents = incidents_visible_to(user).select_related(None).filter(open_now()).order_by()
    counted = incidents.annotate(one=Value(1)).values("one").annotate(open=Count("pk")).values("open")
    return machines_visible_to(user).aggregate(
        all=Count("id"),
        reporting=Count("id", filter=Q(agent__seen_at__gte=at - timedelta(seconds=SILENT_S))),
        incidents=Max(Subquery(counted)),
    )


def _tile(state: State, counts: dict[str, int], asked: Asked) -> dict[str, Any]:
    chosen = asked.state is state
    return {
        "state": state.word,
        "word": said(state),
        "count": counts[state.word],
        "chosen": chosen,
        "query": asked.query(state=None if chosen else state),
    }


def _column(asked: Asked, name: str, word: str, kind: str) -> dict[str, Any]:
    """A heading that sorts, and turns the order round where it sorts already."""
    sorted_by = asked.sort == name
    backwards = sorted_by and not asked.backwards
    return {
        "word": word,
        "kind": kind,
        "query": asked.query(sort=name, backwards=backwards),
        "sort": ("descending" if asked.backwards else "ascending") if sorted_by else None,
    }


def _chips(asked: Asked) -> list[dict[str, str]]:
    """What narrows the list, each with the address without it."""
    chips = []
    for name, word in FILTERS.items():
        value = getattr(asked, name)
        if value:
            shown = said(value) if isinstance(value, State) else f"“{value}”" if name == "q" else value
            words = f"{word}: {shown}" if word else shown
            chips.append({"word": words, "query": asked.query(**{name: None if name == "state" else ""})})
    return chips


def _choices(request: HttpRequest, asked: Asked) -> dict[str, Any]:
    """The filters' choices; customers and pools are the provider's."""
    if not request.user.is_noc:
        return {"customers": [], "pools": []}
    customers = customers_visible_to(request.user).annotate(what=Value("customers")).values_list("what", "name")
    pools = Pool.objects.annotate(what=Value("pools")).values_list("what", "name")
    found: dict[str, Any] = {"may_make_keys": may_make_keys(request.user), "customers": [], "pools": []}
    found["may_assign"] = may(request.user, Verb.KEEP_CONTRACTS)
    for what, name in customers.order_by("name")[:500].union(pools.order_by("name")[:500], all=True):
        found[what].append(name)
    return found
