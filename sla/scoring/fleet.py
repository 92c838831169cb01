"""What is a month worth for every disk? The matrix of disks and months, reports and what-if start here."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import isnan
from typing import cast

import numpy as np
import psycopg

from sla.domain.contract import PPM, Contract
from sla.domain.coverage import coverage_ppm, judged_until
from sla.domain.evidence import Ints
from sla.domain.fleet import Fleet, Verdicts, judge_fleet
from sla.domain.period import Period
from sla.domain.states import State
from sla.domain.verdict import SILENT_S, judge_period
from sla.scoring import store
from sla.scoring.now import parts_of
from sla.scoring.period_sums import AT, VERDICT, Row, sums_between
from sla.scoring.terms import contract_of

SUMS = (
    *("observed_s", "eligible_low", "eligible", "eligible_high", "slow_low", "slow", "slow_high", "lost_ms"),
    *("slots_met", "slots_met_proved", "slots_breached", "slots_breached_proved"),
)


@dataclass(frozen=True, slots=True)
class FleetMonth:
    """Disks in order of id, their sums and verdicts."""

    disks: Ints
    terms: Ints
    fleet: Fleet
    verdicts: Verdicts


def fleet_month(period: Period, now: datetime, *, vantage: int, disks: Sequence[int] | None = None) -> FleetMonth:
    """The period of these disks, or all, judged by the terms that were in force; time that is taken out is left out."""
    start, end = int(period.start.timestamp()), int(period.end.timestamp())
    with store.reading() as cursor:
        rows = sums_between(cursor, start, end, vantage=vantage, disks=disks, names=VERDICT)
        lives = _lives(cursor, start)
    kept = [row for row in rows if not row[AT["excluded"]] and row[AT["term"]]]
    several = _several(kept)
    table = np.array(kept, np.int64).reshape(-1, 3 + len(VERDICT))
    table = table[np.argsort(table[:, AT["disk_id"]], kind="stable")]
    ids, first = np.unique(table[:, AT["disk_id"]], return_index=True)
    summed = np.add.reduceat(table, first, axis=0) if len(table) else table
    terms = table[np.append(first[1:], len(table)) - 1, AT["term"]] if len(table) else ids
    contracts = {int(term): contract_of(int(term)) for term in np.unique(terms)}
    covered = _coverage(ids, summed[:, AT["observed_s"]], lives, period, now)
    fleet = _fleet(summed, terms, contracts, covered)
    closed = now >= period.closes_at
    verdicts = judge_fleet(fleet, closed=closed)
    _correct(verdicts, ids, several, fleet, contracts, terms, closed=closed)
    return FleetMonth(ids, terms, fleet, verdicts)


def _fleet(summed: Ints, terms: Ints, contracts: dict[int, Contract], covered: Ints) -> Fleet:
    def of(name: str) -> Ints:
        values = {term: int(getattr(contract, name)) for term, contract in contracts.items()}
        return np.array([values[term] for term in terms.tolist()], np.int64)

    slots = {term for term, contract in contracts.items() if contract.budget_by == "slots"}
    return Fleet(
        slow_ppm=of("slow_ppm"),
        min_coverage_ppm=of("min_coverage_ppm"),
        min_eligible=of("min_eligible"),
        by_slots=np.isin(terms, list(slots)),
        coverage_ppm=covered,
        ios=summed[:, AT["read_ios"]] + summed[:, AT["write_ios"]],
        **{name: summed[:, AT[name]] for name in SUMS},
    )


def _lives(cursor: "psycopg.Cursor[tuple]", start: int) -> dict[int, tuple[float | None, float | None, float | None]]:
    """Per disk: first frame, last frame's end, and since when it is assigned (None: from its first frame)."""
    rows = cursor.execute(
        """
        SELECT n.disk_id, extract(epoch FROM n.first_at)::float8, extract(epoch FROM n.seen_at)::float8,
               (SELECT CASE WHEN bool_or(a.valid_from IS NULL) THEN NULL
                            ELSE extract(epoch FROM min(a.valid_from))::float8 END
                FROM contracts_assignment AS a
                WHERE a.disk_id = n.disk_id AND (a.valid_to IS NULL OR a.valid_to > to_timestamp(%s)))
        FROM scoring_disknow AS n
        """,
        [start],
        binary=True,
    )
    return {disk: (first, last, since) for disk, first, last, since in rows}


def _coverage(
    ids: Ints,
    observed: Ints,
    lives: dict[int, tuple[float | None, float | None, float | None]],
    period: Period,
    now: datetime,
) -> Ints:
    start, end, moment = period.start.timestamp(), period.end.timestamp(), now.timestamp()
    covered = np.zeros(len(ids), np.int64)
    for place, (disk, seen_s) in enumerate(zip(ids.tolist(), observed.tolist(), strict=True)):
        first, last, since = lives.get(disk, (None, None, None))
        begin = max(start, first if first is not None else start, since if since is not None else start)
        covered[place] = coverage_ppm(seen_s, begin, judged_until(end, moment, last or 0.0, SILENT_S))
    return covered


def _several(rows: Sequence[Row]) -> dict[int, list[Row]]:
    """The disks that were under more than one contract version."""
    found: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        found[row[0]].append(row)
    return {disk: listed for disk, listed in found.items() if len(listed) > 1}


def _correct(
    verdicts: Verdicts,
    ids: Ints,
    several: dict[int, list[Row]],
    fleet: Fleet,
    contracts: dict[int, Contract],
    terms: Ints,
    *,
    closed: bool,
) -> None:
    """Disks under several versions: each version's time by its own objective, one disk at a time."""
    for disk, rows in several.items():
        place = int(np.searchsorted(ids, disk))
        contract = contracts[int(terms[place])]
        verdict = judge_period(
            parts_of(rows),
            coverage_ppm=int(fleet.coverage_ppm[place]),
            min_coverage_ppm=contract.min_coverage_ppm,
            min_eligible=contract.min_eligible,
            budget_by=contract.budget_by,
            closed=closed,
        )
        verdicts.state[place], verdicts.proved[place] = int(verdict.state), verdict.proved


def words(month: FleetMonth) -> list[dict[str, object]]:
    """One plain dict a disk."""
    v = month.verdicts
    columns = zip(
        month.disks.tolist(),
        v.state.tolist(),
        v.proved.tolist(),
        *(np.round(end, 9).tolist() for end in (v.sli_low, v.sli, v.sli_high)),
        (month.fleet.coverage_ppm / PPM).tolist(),
        strict=True,
    )
    return [
        {
            "disk": disk,
            "state": State(cast(int, state)).word,
            "proved": proved,
            "sli": {n: None if isnan(end) else end for n, end in zip(("low", "estimate", "high"), ends, strict=True)},
            "coverage": coverage,
        }
        for disk, state, proved, *ends, coverage in columns
    ]
