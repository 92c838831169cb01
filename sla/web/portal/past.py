"""How did past months end? What was found when each closed, by the newest correction; and the statement of it."""

from collections import Counter, defaultdict
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Max
from django.db.models.fields.json import KT

from sla.accounts.models import Customer, User
from sla.domain.period import parse_period
from sla.domain.states import State
from sla.fleet.selectors import disks_visible_to
from sla.reports.models import Handover, Statement
from sla.reports.selectors import statements_visible_to
from sla.scoring.models import Correction
from sla.web.fleet_rows import said

MONTHS = 24
# Worst first, as everywhere; what never stands in a closed month is left out.
ORDER = (State.BREACHED, State.MET, State.EXCUSED, State.IDLE, State.NO_DATA)


def past_months(user: User | AnonymousUser, customer: Customer) -> list[dict[str, Any]]:
    """Newest first: `{"period", "moment", "counts", "statement"}`."""
    counts = _closed(user, customer)
    stated = _stated(user, customer)
    periods = sorted({*counts, *stated}, reverse=True)[:MONTHS]
    return [
        {
            "period": period,
            "moment": parse_period(period, "UTC").start,
            "counts": [
                {"state": state.word, "word": said(state).lower(), "count": counts[period][state.word]}
                for state in ORDER
                if counts[period][state.word]
            ],
            "statement": stated.get(period),
        }
        for period in periods
    ]


def _closed(user: User | AnonymousUser, customer: Customer) -> dict[str, Counter[str]]:
    """Per month how many disks ended how. A month in which a machine was not yet this customer's is not theirs."""
    disks = disks_visible_to(user).filter(machine__customer=customer)
    came = dict(
        Handover.objects.filter(after=customer, machine__customer=customer)
        .values_list("machine")
        .annotate(at=Max("at"))
        .values_list("machine", "at")
    )
    newest = (
        Correction.objects.filter(disk__in=disks.order_by().values("pk"))
        .order_by("disk", "vantage", "period", "-number")
        .distinct("disk", "vantage", "period")
        .annotate(state=KT("score__state"))
        .values_list("period", "state", "disk__machine")
    )
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for period, state, machine in newest:
        if machine not in came or parse_period(period, customer.zone).start >= came[machine]:
            counts[period][state] += 1
    return counts


def _stated(user: User | AnonymousUser, customer: Customer) -> dict[str, Statement]:
    """The newest statement of each month."""
    found: dict[str, Statement] = {}
    for statement in statements_visible_to(user).filter(customer=customer)[: MONTHS * 4]:
        found.setdefault(statement.period, statement)
    return found
