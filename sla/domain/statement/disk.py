"""What does a statement say of one disk? Its figures and verdict, by the same rules as everywhere, as integers."""

from collections.abc import Iterable
from dataclasses import fields
from fractions import Fraction
from typing import Any

from sla.domain.contract import PPM
from sla.domain.coverage import coverage_ppm
from sla.domain.credit import Credit, credit
from sla.domain.statement.facts import Assigned, Contention, Day, DiskFacts, Incident, TermSums
from sla.domain.states import Grade, State
from sla.domain.verdict import (
    Interval,
    Part,
    Sums,
    Verdict,
    budget,
    judge_period,
    lost_left,
    sli,
    slot_budget,
    total_of,
)

PPB = 10**9
JUDGED = (State.BREACHED, State.MET, State.AT_RISK)
NOTHING = Credit(0, 0, None, None)


def disk_section(facts: DiskFacts, *, closed: bool) -> dict[str, Any]:
    """The disk's part of the document. `closed`: the period is; an open one is judged by what there is."""
    kept = [row for row in facts.rows if not row.excluded]
    parts = [Part(row.slow_ppm, row.sums) for row in kept]
    everything = [Part(row.slow_ppm, row.sums) for row in facts.rows]
    total, whole = total_of(parts) if parts else Sums(), total_of(everything) if everything else Sums()
    covered = coverage_ppm(total.observed_s, facts.covered_from, facts.covered_until, facts.excluded_s)
    verdict = judged(facts, parts, covered, closed=closed)
    attained = sli(parts) if parts else Interval(None, None, None)
    without = sli(everything) if everything else Interval(None, None, None)
    return {
        "id": facts.id,
        "machine": facts.machine,
        "device": facts.device,
        "serial": facts.serial or None,
        "wwn": facts.wwn or None,
        "size_bytes": facts.size_bytes,
        "span": {"zone": facts.zone, "start": facts.start, "end": facts.end},
        "held": {"from": facts.held_from, "until": facts.held_until},
        "term": facts.terms.term if facts.terms else None,
        "assigned": [assigned(one) for one in facts.assigned],
        "sums": [term_sums(row) for row in facts.rows],
        "total": figures(total),
        "excess": total.ios - total.eligible,
        "slots": slots(kept),
        "grade": Grade(max((row.grade for row in facts.rows), default=Grade.C)).name,
        "sli_ppb": three(attained),
        "sli_with_excluded_time_ppb": three(without),
        "excluded_ios": whole.ios - total.ios,
        "coverage": {
            "from": facts.covered_from,
            "until": facts.covered_until,
            "observed_s": total.observed_s,
            "excluded_s": facts.excluded_s,
            "ppm": covered,
        },
        "budget": budgets(parts),
        "lost_left_ppb": ppb(lost_left(parts)) if parts else None,
        "unavailable_minutes": facts.unavailable_minutes,
        "state": verdict.state.word,
        "proved": verdict.proved,
        "reasons": list(verdict.reasons),
        "credit": owed(facts, attained, verdict),
        "days": [day(one) for one in facts.days],
        "contention": [contention(one) for one in facts.contention],
        "incidents": [incident(one) for one in facts.incidents],
    }


def judged(facts: DiskFacts, parts: list[Part], covered_ppm: int, *, closed: bool) -> Verdict:
    """The state of the disk's span."""
    if facts.terms is None:
        return Verdict(State.EXCUSED, True, ("NO_CONTRACT",))
    contract = facts.terms.contract
    return judge_period(
        parts or [Part(contract.slow_ppm, Sums())],
        coverage_ppm=covered_ppm,
        min_coverage_ppm=contract.min_coverage_ppm,
        min_eligible=contract.min_eligible,
        budget_by=contract.budget_by,
        closed=closed,
        firing=() if closed else facts.firing,
    )


def owed(facts: DiskFacts, attained: Interval, verdict: Verdict) -> dict[str, Any] | None:
    """Credit due and 'up to'; None where no contract says what is owed."""
    if facts.terms is None:
        return None
    tiers = facts.terms.contract.credit_tiers
    got = credit(attained, tiers, judged=verdict.state in JUDGED, fee_cents=facts.terms.fee_cents)
    return {
        "proved_percent": got.proved_percent,
        "up_to_percent": got.up_to_percent,
        "proved_cents": got.proved_cents,
        "up_to_cents": got.up_to_cents,
        "currency": facts.terms.currency or None,
    }


def budgets(parts: list[Part]) -> dict[str, Any] | None:
    """Slow I/Os (and breached slots) allowed, spent and left; totals in millionths, because 1 % of 150 is 1.5."""
    if not parts:
        return None
    found = {}
    for name, got in (("requests", budget(parts)), ("slots", slot_budget(parts))):
        found[name] = {"total_ppm": int(got.total * PPM), "spent": got.spent, "left_ppb": three(got.left)}
    return found


def figures(sums: Sums) -> dict[str, int]:
    """Everything that was counted."""
    return {one.name: int(getattr(sums, one.name)) for one in fields(Sums)}


def term_sums(row: TermSums) -> dict[str, Any]:
    """A version's part."""
    return {"term": row.term, "excluded": row.excluded, "slow_ppm": row.slow_ppm, **figures(row.sums)}


def slots(rows: Iterable[TermSums]) -> dict[str, int]:
    """How many minutes were what."""
    rows = list(rows)
    names = ("met", "met_proved", "breached", "breached_proved")
    counted = {name: sum(int(getattr(row.sums, f"slots_{name}")) for row in rows) for name in names}
    others = {name: sum(int(getattr(row, f"slots_{name}")) for row in rows) for name in ("excused", "idle", "no_data")}
    return {"all": sum(row.slots for row in rows), **counted, **others}


def three(interval: Interval) -> dict[str, int | None]:
    """Low, estimate, high in billionths, cut."""
    return {"low": ppb(interval.low), "estimate": ppb(interval.estimate), "high": ppb(interval.high)}


def ppb(value: Fraction | None) -> int | None:
    """A ratio in billionths, cut towards minus infinity; unknown stays unknown."""
    return None if value is None else value.numerator * PPB // value.denominator


def assigned(one: Assigned) -> dict[str, int | None]:
    return {"term": one.term, "from": one.start, "until": one.end}


def day(one: Day) -> list[int]:
    """A row, in the order of `Day`: a month of five hundred disks is 15,500 of them."""
    return [int(getattr(one, each.name)) for each in fields(Day)]


def contention(one: Contention) -> dict[str, Any]:
    return {each.name: getattr(one, each.name) for each in fields(Contention)}


def incident(one: Incident) -> dict[str, Any]:
    return {each.name: getattr(one, each.name) for each in fields(Incident)}
