"""What do the open months owe so far? Credits of all visible disks, proved and at most, by currency (semantics §6)."""

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction

from django.contrib.auth.models import AnonymousUser

from sla.accounts.models import Customer, User
from sla.contracts.models import ContractVersion
from sla.domain.contract import DEFAULT_CREDIT_TIERS, PPM
from sla.domain.credit import credit
from sla.domain.states import State
from sla.domain.verdict import Interval
from sla.fleet.selectors import disks_visible_to

JUDGED = (State.BREACHED, State.MET, State.AT_RISK)


@dataclass(slots=True)
class Owed:
    """Of one currency ("" where no fee is said: then only the number of disks counts)."""

    proved_cents: int = 0
    up_to_cents: int = 0
    disks: int = 0


def liability(user: User | AnonymousUser, customer: Customer | None = None) -> dict[str, Owed]:
    """Per currency what is owed (to one customer) if the month ended now. Where a contract says no fee: under ""."""
    prices = {
        pk: (_tiers(tiers), fee, currency)
        for pk, tiers, fee, currency in ContractVersion.objects.values_list(
            "pk", "credit_tiers", "fee_cents", "currency"
        )
    }
    mildest = max((below for tiers, _, _ in prices.values() for below, _ in tiers), default=0)
    seen = disks_visible_to(user)
    known = list(
        (seen if customer is None else seen.filter(machine__customer=customer))
        .select_related(None)
        .order_by()
        # Over the mildest bound nobody owes: some are left of ten thousand.
        .filter(removed_at=None, now__period_state__in=JUDGED, now__sli_low__lt=mildest / PPM)
        .values_list("now__term", "now__sli_low", "now__sli_estimate", "now__sli_high")
    )
    found: dict[str, Owed] = defaultdict(Owed)
    for term, *ends in known:
        if term not in prices:
            continue
        tiers, fee, currency = prices[term]
        low, estimate, high = (None if end is None else Fraction(repr(end)) for end in ends)
        owed = credit(Interval(low, estimate, high), tiers, judged=True, fee_cents=fee)
        if not owed.up_to_percent:
            continue
        one = found[currency if fee is not None else ""]
        one.disks += 1
        one.proved_cents += owed.proved_cents or 0
        one.up_to_cents += owed.up_to_cents or 0
    return dict(found)


def _tiers(listed: list[list[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((int(below), int(percent)) for below, percent in listed) or DEFAULT_CREDIT_TIERS
