"""What is a period worth for a disk? `GET /api/v1/disks/{id}/score`, with everything that its verdict rests on."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import psycopg

from sla.domain.contract import PPM, Contract
from sla.domain.coverage import coverage_ppm, excluded_s, judged_from, judged_until
from sla.domain.credit import credit
from sla.domain.display import ratio
from sla.domain.period import Period, parse_period
from sla.domain.states import Grade, State
from sla.domain.verdict import (
    SILENT_S,
    Part,
    Verdict,
    budget,
    judge_period,
    lost_left,
    sli,
    slot_budget,
    total_of,
)
from sla.scoring import store
from sla.scoring.agreement import agreement
from sla.scoring.exclusions import windows_between
from sla.scoring.models import Correction
from sla.scoring.now import parts_of, standings
from sla.scoring.period_sums import AT, Row, sums_between
from sla.scoring.selectors import current_term, vantage_of
from sla.scoring.store import FAR_S
from sla.scoring.terms import assigned_to, contract_of
from sla.scoring.words import DIGITS, counts, three

SAID_OF_BOTH = ("slots", "disagree", "beyond_host_ms_per_io", "beyond_host_owner")


@dataclass(frozen=True, slots=True)
class PeriodScore:
    """The sums of a disk's period and what they were judged by."""

    period: Period
    contract: Contract | None
    rows: list[Row]
    coverage_ppm: int
    closed: bool
    excluded_s: int

    @property
    def parts(self) -> list[Part]:
        """Without what is taken out."""
        return parts_of(self.rows)

    def verdict(self, firing: list[str]) -> Verdict:
        """Its state; `firing`: the rules that hold now, where it is the open period."""
        if self.contract is None:
            return Verdict(State.EXCUSED, True, ("NO_CONTRACT",))
        return judge_period(
            self.parts,
            coverage_ppm=self.coverage_ppm,
            min_coverage_ppm=self.contract.min_coverage_ppm,
            min_eligible=self.contract.min_eligible,
            budget_by=self.contract.budget_by,
            closed=self.closed,
            firing=[] if self.closed else firing,
        )


def measure(disk_id: int, period_text: str, vantage: str | None = None, now: datetime | None = None) -> PeriodScore:
    """The period's sums. Raises PeriodError for a text that names no month, KeyError for a vantage that is none."""
    moment = (now or datetime.now(UTC)).timestamp()
    side = vantage_of(disk_id, vantage)
    zone_of = parse_period(period_text)  # says what is wrong before anything is read
    term = current_term(disk_id, min(moment, zone_of.end.timestamp() - 1))
    contract = contract_of(term) if term else None
    period = parse_period(period_text, contract.zone if contract else "UTC")
    start, end = int(period.start.timestamp()), int(period.end.timestamp())
    with store.reading() as cursor:
        rows = sums_between(cursor, start, end, vantage=side, disks=[disk_id])
        first, last = _seen(cursor, disk_id, side)
        assigned = [one for one in assigned_to(cursor, [disk_id]).get(disk_id, []) if one.end > start]
        windows = windows_between(cursor, [disk_id], start, end).get(disk_id, [])
    begin = judged_from(start, min((one.start for one in assigned), default=None), first)
    until = judged_until(end, moment, last or 0.0, SILENT_S)
    taken_out = excluded_s([(w.start, w.end) for w in windows if w.excludes], begin or start, until)
    observed = total_of(parts_of(rows)).observed_s
    covered = coverage_ppm(observed, begin, until, taken_out)
    return PeriodScore(period, contract, rows, covered, moment >= period.closes_at.timestamp(), taken_out)


def _seen(cursor: "psycopg.Cursor[tuple]", disk_id: int, vantage: int) -> tuple[float | None, float | None]:
    """When the first frame of a side began and the last one ended."""
    stands = standings(cursor, [disk_id])[disk_id]
    if stands.vantage == vantage and stands.first_at is not None:
        return stands.first_at, stands.seen_at
    row = cursor.execute(
        """
        SELECT extract(epoch FROM min(start))::float8, extract(epoch FROM max(start))::float8 + 60 FROM scoring_slot
        WHERE disk_id = %s AND vantage = %s AND start > now() - make_interval(secs => %s)
        """,
        [disk_id, vantage, 10 * FAR_S],
    ).fetchone()
    return row if row else (None, None)


def score(disk_id: int, period: str, vantage: str | None = None, now: datetime | None = None) -> dict[str, Any]:
    """The answer of the score path. A closed period answers what it closed with, or its latest correction."""
    if said := _closing(disk_id, period, vantage_of(disk_id, vantage)):
        return said
    return compute_score(disk_id, period, vantage, now)


def _closing(disk_id: int, period: str, vantage: int) -> dict[str, Any] | None:
    last = Correction.objects.filter(disk=disk_id, vantage=vantage, period=period).order_by("-number").first()
    return {**last.score, "correction": last.number, "closed": True} if last else None


def compute_score(disk_id: int, period: str, vantage: str | None = None, now: datetime | None = None) -> dict[str, Any]:
    """The same from the roll-ups, whether closed or not."""
    got = measure(disk_id, period, vantage, now)
    with store.reading() as cursor:
        stands = standings(cursor, [disk_id])[disk_id]
    firing = stands.firing if stands.period == period else []
    verdict, parts, everything = got.verdict(firing), got.parts, parts_of(got.rows, excluded=None)
    total, contract = total_of(parts), got.contract
    attained, left, slots_left = sli(parts), budget(parts), slot_budget(parts)
    judged = verdict.state in (State.BREACHED, State.MET, State.AT_RISK)
    both = agreement(disk_id, int(got.period.start.timestamp()), int(got.period.end.timestamp()))
    owed = credit(attained, contract.credit_tiers, judged=judged) if contract else None
    return {
        "period": got.period.text,
        "zone": got.period.zone,
        "start": int(got.period.start.timestamp()),
        "end": int(got.period.end.timestamp()),
        "contract": contract.text if contract else None,
        "objective": contract.objective_ppm / PPM if contract else None,
        "sli": three(attained),
        "ios": total.ios,
        "eligible": total.eligible,
        "eligible_low": total.eligible_low,
        "eligible_high": total.eligible_high,
        "slow": counts(total.slow_low, total.slow, total.slow_high),
        "excess": total.ios - total.eligible,
        "lost_s": total.lost_ms / 1000,
        "lost_left_ratio": ratio(lost_left(parts), DIGITS),
        "gap": {"ios": total.gap_ios, "ms": total.gap_ms},
        "coverage": got.coverage_ppm / PPM,
        "observed_s": total.observed_s,
        "excluded_s": got.excluded_s,
        "budget_total": float(left.total),
        "budget_left_ratio": three(left.left),
        "slots": {
            name: sum(row[AT[f"slots_{name}"]] for row in got.rows if not row[AT["excluded"]])
            for name in ("met", "met_proved", "breached", "breached_proved", "excused", "idle", "no_data")
        },
        "slot_budget_left_ratio": three(slots_left.left),
        "with_exclusions": {"sli": three(attained)},
        "without_exclusions": {"sli": three(sli(everything)), "excluded_ios": total_of(everything).ios - total.ios},
        "credit": {"proved_percent": owed.proved_percent, "up_to_percent": owed.up_to_percent} if owed else None,
        "min_eligible": contract.min_eligible if contract else None,
        "grade": Grade(max((row[AT["grade"]] for row in got.rows), default=Grade.C)).name,
        "state": verdict.state.word,
        "proved": verdict.proved,
        "word": verdict.word,
        "reasons": list(verdict.reasons),
        "disputed": both["disputed"] if both else None,
        "agreement": {name: both[name] for name in SAID_OF_BOTH} if both else None,
        "closed": got.closed,
        "correction": None,
    }
