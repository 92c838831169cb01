"""How was each of the last days? A word a day of UTC, judged by its sums as a month is, not by its worst minute."""

from collections import defaultdict
from dataclasses import dataclass

from sla.domain.contract import PPM
from sla.domain.states import State
from sla.domain.verdict import SILENT_S, Part, judge_period, sli
from sla.scoring import store
from sla.scoring.period_sums import AT, VERDICT, Row, sums_of
from sla.scoring.store import DAY_S
from sla.scoring.terms import contract_of

DAYS = 90
NO_CONTRACT_COVERAGE_PPM = PPM // 2


@dataclass(frozen=True, slots=True)
class Day:
    """`state` None: before the disk's first frame. `low`, `high`: the SLI's ends, None where nothing was covered."""

    start: int
    state: State | None
    proved: bool = True
    low: float | None = None
    high: float | None = None


def last_days(disk_id: int, vantage: int, now: float, first_at: float | None, days: int = DAYS) -> list[Day]:
    """The day of `now` (Unix seconds) and those before it, oldest first."""
    end = (int(now) // DAY_S + 1) * DAY_S
    start = end - days * DAY_S
    with store.reading() as cursor:
        rows = cursor.execute(
            f"SELECT extract(epoch FROM start)::int8, disk_id, term, excluded::int, {', '.join(VERDICT)} "  # noqa: S608
            f"FROM scoring_day WHERE disk_id = %s AND vantage = %s AND start >= to_timestamp({start}) "
            f"AND start < to_timestamp({end})",
            [disk_id, vantage],
            binary=True,
        ).fetchall()
    found: dict[int, list[Row]] = defaultdict(list)
    for at, *row in rows:
        found[at].append(tuple(row))
    return [_day(at, found[at], now, first_at) for at in range(start, end, DAY_S)]


def _day(start: int, rows: list[Row], now: float, first_at: float | None) -> Day:
    begun = max(start, first_at) if first_at is not None else now
    due_s = min(start + DAY_S, now - SILENT_S) - begun
    counted = [row for row in rows if not row[AT["excluded"]]]
    if not counted:
        if rows:
            return Day(start, State.MAINTENANCE)
        return Day(start, State.NO_DATA if due_s > 0 else None)
    terms = [contract_of(row[AT["term"]]) for row in counted if row[AT["term"]]]
    slow_ppm = {row[AT["term"]]: contract_of(row[AT["term"]]).slow_ppm if row[AT["term"]] else 0 for row in counted}
    parts = [Part(slow_ppm[row[AT["term"]]], sums_of(row)) for row in counted]
    left_out_s = sum(row[AT["observed_s"]] for row in rows if row[AT["excluded"]])
    observed_s = sum(part.sums.observed_s for part in parts)
    verdict = judge_period(
        parts,
        coverage_ppm=min(PPM, int(observed_s * PPM / max(1, due_s - left_out_s))),
        min_coverage_ppm=terms[-1].min_coverage_ppm if terms else NO_CONTRACT_COVERAGE_PPM,
        min_eligible=0,  # what a month needs to be judged a day need not have
        closed=True,
    )
    kept = sli(parts)
    low, high = (None if end is None else float(end) for end in (kept.low, kept.high))
    return Day(start, verdict.state, verdict.proved, low, high)
