"""What does a whole statement say? Its head, the contracts, what was taken out, every disk, and the sum of it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from sla.domain.contract import Contract
from sla.domain.statement.disk import day, disk_section
from sla.domain.statement.facts import Day, DiskFacts, Exclusion, Terms

FORMAT = "plimsoll-statement/1"
# The rules by which the figures were made; a change of any of them is a new name.
METHOD = "plimsoll-method/1"


@dataclass(frozen=True, slots=True)
class Head:
    """Whose statement of which month it is. `number` None: a draft. Moments in Unix seconds."""

    number: str | None
    issue: int
    supersedes: str | None
    reason: str
    issuer: str
    made_at: int
    customer_id: int
    customer: str
    period: str
    zone: str
    start: int
    end: int
    closes_at: int
    closed: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """A file that the statement answers for."""

    name: str
    sha256: str
    bytes: int
    rows: int


def statement(
    head: Head, disks: Sequence[DiskFacts], exclusions: Sequence[Exclusion], evidence: Sequence[Evidence]
) -> dict[str, Any]:
    """The document. Its disks are in order of machine and device."""
    ordered = sorted(disks, key=lambda one: (one.machine, one.device, one.id, one.start))
    terms = {one.terms.term: one.terms for one in ordered if one.terms}
    sections = [disk_section(one, closed=head.closed) for one in ordered]
    return {
        "format": FORMAT,
        "method": METHOD,
        "number": head.number,
        "issue": head.issue,
        "supersedes": head.supersedes,
        "reason": head.reason or None,
        "draft": head.number is None,
        "issuer": head.issuer,
        "made_at": head.made_at,
        "customer": {"id": head.customer_id, "name": head.customer},
        "period": {
            "text": head.period,
            "zone": head.zone,
            "start": head.start,
            "end": head.end,
            "closes_at": head.closes_at,
            "closed": head.closed,
        },
        "contracts": [contract(terms[term]) for term in sorted(terms)],
        "exclusions": [exclusion(one) for one in sorted(exclusions, key=lambda one: (one.start, one.id))],
        "disks": sections,
        "days": [day(one) for one in days(ordered)],
        "summary": summary(sections),
        "evidence": [{each.name: getattr(one, each.name) for each in fields(Evidence)} for one in evidence],
    }


def contract(terms: Terms) -> dict[str, Any]:
    """A version with every figure that the verdict rests on."""
    c: Contract = terms.contract
    return {
        "term": terms.term,
        "name": terms.name,
        "version": terms.version,
        "text": terms.text,
        "objective_ppm": c.objective_ppm,
        "read_threshold_us": c.read_threshold_us,
        "write_threshold_us": c.write_threshold_us,
        "iops": c.iops,
        "io_unit_bytes": c.io_unit_bytes,
        "tolerance_ppm": c.tolerance_ppm,
        "base_us": c.base_us,
        "depth": c.depth,
        "vantage": c.vantage,
        "budget_by": c.budget_by,
        "zone": c.zone,
        "min_coverage_ppm": c.min_coverage_ppm,
        "min_eligible": c.min_eligible,
        "conditions": [{"what": one.what, "op": one.op, "value": one.value} for one in c.conditions],
        "credit_tiers": [{"below_ppm": below, "percent": percent} for below, percent in c.credit_tiers],
        "fee_cents": terms.fee_cents,
        "currency": terms.currency or None,
    }


def exclusion(one: Exclusion) -> dict[str, Any]:
    """A window with both switches and whoever approved it."""
    said = {each.name: getattr(one, each.name) for each in fields(Exclusion)}
    return {**said, "approvals": list(one.approvals), "disks": sorted(one.disks), "retroactive": one.retroactive}


def days(disks: Sequence[DiskFacts]) -> list[Day]:
    """All disks' days added up; those that begin together."""
    found: dict[int, Day] = {}
    for disk in disks:
        for one in disk.days:
            before = found.get(one.start)
            names = [each.name for each in fields(Day)][1:]
            found[one.start] = (
                one
                if before is None
                else Day(one.start, *(int(getattr(before, name)) + int(getattr(one, name)) for name in names))
            )
    return [found[start] for start in sorted(found)]


def summary(sections: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What a reader wants first: how many disks were what, and what is owed."""
    states = Counter(section["state"] for section in sections)
    credits: dict[str, dict[str, int]] = {}
    for section in sections:
        owed = section["credit"]
        if owed and owed["proved_cents"] is not None:
            money = credits.setdefault(owed["currency"] or "", {"proved_cents": 0, "up_to_cents": 0})
            money["proved_cents"] += owed["proved_cents"]
            money["up_to_cents"] += owed["up_to_cents"]

    def total(name: str) -> int:
        return sum(section["total"][name] for section in sections)

    return {
        "disks": len(sections),
        "states": dict(sorted(states.items())),
        "breached_proved": sum(one["state"] == "breached" and one["proved"] for one in sections),
        "credit_disks": sum(bool(one["credit"] and one["credit"]["proved_percent"]) for one in sections),
        "credits": [{"currency": currency or None, **money} for currency, money in sorted(credits.items())],
        "ios": total("ios"),
        "eligible": total("eligible"),
        "excess": total("ios") - total("eligible"),
        "slow": {"low": total("slow_low"), "estimate": total("slow"), "high": total("slow_high")},
        "lost_ms": total("lost_ms"),
        "observed_s": total("observed_s"),
    }
