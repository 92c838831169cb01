"""What is owed for a disk's month if it ended as it stands? Beside an incident about a month that cannot be met."""

from fractions import Fraction
from typing import Any

from sla.contracts.models import ContractVersion
from sla.domain.contract import DEFAULT_CREDIT_TIERS
from sla.domain.credit import credit
from sla.domain.verdict import Interval
from sla.scoring.models import DiskNow


def credit_due(row: DiskNow, version: ContractVersion | None) -> dict[str, Any]:
    """`{"proved_percent", "up_to_percent", "proved_cents", "up_to_cents", "currency"}`; empty without a contract."""
    if version is None:
        return {}
    low, estimate, high = (
        None if end is None else Fraction(repr(end)) for end in (row.sli_low, row.sli_estimate, row.sli_high)
    )
    tiers = tuple((int(below), int(percent)) for below, percent in version.credit_tiers) or DEFAULT_CREDIT_TIERS
    owed = credit(Interval(low, estimate, high), tiers, judged=True, fee_cents=version.fee_cents)
    return {
        "proved_percent": owed.proved_percent,
        "up_to_percent": owed.up_to_percent,
        "proved_cents": owed.proved_cents,
        "up_to_cents": owed.up_to_cents,
        "currency": version.currency,
    }


def credit_words(members: list[dict[str, Any]]) -> str:
    """'2 of 3 disks proved · EUR 12.00, up to 18.00' from the figures of an incident's disks; empty if nothing is."""
    owed = [figures["credit"] for figures in members if figures.get("credit", {}).get("up_to_percent")]
    if not owed:
        return ""
    sure = [one for one in owed if one["proved_percent"]]
    said = [f"{len(sure)} of {len(owed)} disks proved"]
    for currency in sorted({one["currency"] for one in owed if one["up_to_cents"] is not None}):
        mine = [one for one in owed if one["currency"] == currency and one["up_to_cents"] is not None]
        proved, up_to = (sum(one[name] for one in mine) / 100 for name in ("proved_cents", "up_to_cents"))
        said.append(f"{currency} {proved:,.2f}, up to {up_to:,.2f}" if up_to > proved else f"{currency} {proved:,.2f}")
    return " · ".join(said)
