"""How does each disk stand now? One row a disk, made anew from its roll-ups whenever a slot of it is settled."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

import psycopg

from sla.domain.burn import ACUTE_CALM_S, RULES, burn_rate, firing_rules
from sla.domain.contract import PPM, Contract
from sla.domain.coverage import coverage_ppm, excluded_s, judged_from, judged_until
from sla.domain.display import burn, ratio
from sla.domain.period import Period, period_of
from sla.domain.states import WORST_FIRST, State
from sla.domain.verdict import SILENT_S, Part, Verdict, budget, judge_now, judge_period, sli, total_of
from sla.fleet.vantage import Vantage
from sla.scoring import burning
from sla.scoring.agreement import DISPUTED, mark_disputed
from sla.scoring.exclusions import Window, windows_between
from sla.scoring.period_sums import AT, VERDICT, Row, sums_between, sums_of
from sla.scoring.terms import Assigned, assigned_to, contract_of, term_at

DIGITS = 9
PAGES = frozenset(rule.name for rule in RULES if rule.severity == "page")
# Grade of a disk nothing is known of.
WORST_GRADE = 3


@dataclass(slots=True)
class Standing:
    """A row of `scoring_disknow`; moments in Unix seconds, None where unknown."""

    disk_id: int
    vantage: int = int(Vantage.GUEST)
    state: int = int(State.NO_DATA)
    proved: bool = True
    rank: int = len(WORST_FIRST)
    reasons: list[str] = field(default_factory=list)
    period: str = ""
    period_state: int = int(State.NO_DATA)
    term: int = 0
    ios: int = 0
    eligible: int = 0
    slow: int = 0
    lost_ms: int = 0
    sli_low: float | None = None
    sli_estimate: float | None = None
    sli_high: float | None = None
    budget_total: float = 0.0
    budget_left_low: float | None = None
    budget_left_estimate: float | None = None
    budget_left_high: float | None = None
    coverage: float | None = None
    grade: int = WORST_GRADE
    slot_start: float | None = None
    slot_state: int | None = None
    await_ms: float | None = None
    iops: float | None = None
    aqu_sz: float | None = None
    seen_at: float | None = None
    first_at: float | None = None
    busy_at: float | None = None
    covered_at: float | None = None
    acute_at: float | None = None
    firing: list[str] = field(default_factory=list)
    burn_rate: float | None = None
    updated_at: float = 0.0


NAMES = tuple(Standing.__dataclass_fields__)
MOMENTS = frozenset({"slot_start", "seen_at", "first_at", "busy_at", "covered_at", "acute_at", "updated_at"})
TYPES = {
    **dict.fromkeys(NAMES, "float8"),
    **dict.fromkeys(("disk_id", "ios", "eligible", "slow", "lost_ms"), "int8"),
    **dict.fromkeys(("vantage", "state", "rank", "period_state", "grade", "slot_state"), "int2"),
    # Lists travel as words with blanks between: arrays of arrays would need equal lengths.
    **{"term": "int4", "proved": "bool", "period": "text", "reasons": "text", "firing": "text"},
}
LISTS = ("reasons", "firing")
_FROM_ROW = {
    **{name: f"to_timestamp({name})" for name in MOMENTS},
    **{name: f"string_to_array({name}, ' ')" for name in LISTS},
}
_READ = f"""
SELECT {", ".join(f"extract(epoch FROM {n})::float8" if n in MOMENTS else n for n in NAMES)}
FROM scoring_disknow WHERE disk_id = ANY(%b)
"""  # noqa: S608
_WRITE = f"""
INSERT INTO scoring_disknow ({", ".join(NAMES)})
SELECT {", ".join(_FROM_ROW.get(n, n) for n in NAMES)}
FROM unnest({", ".join(f"%b::{TYPES[n]}[]" for n in NAMES)}) AS row ({", ".join(NAMES)})
ON CONFLICT (disk_id) DO UPDATE SET {", ".join(f"{n} = EXCLUDED.{n}" for n in NAMES if n != "disk_id")}
"""  # noqa: S608


def standings(cursor: "psycopg.Cursor[tuple]", disks: Iterable[int]) -> dict[int, Standing]:
    """The stored rows of these disks; a new one for a disk without."""
    listed = list(disks)
    found = {row[0]: Standing(*row) for row in cursor.execute(_READ, [listed])}
    return {disk: found.get(disk) or Standing(disk) for disk in listed}


def put_standings(cursor: "psycopg.Cursor[tuple]", rows: Iterable[Standing]) -> None:
    """Store them, in order of disk so that two workers cannot wait for each other."""
    listed = sorted(rows, key=lambda row: row.disk_id)
    if listed:
        columns = [[getattr(row, name) for row in listed] for name in NAMES]
        for name in LISTS:
            place = NAMES.index(name)
            columns[place] = [" ".join(words) for words in columns[place]]
        cursor.execute(_WRITE, columns)


def refresh(cursor: "psycopg.Cursor[tuple]", rows: Mapping[int, Standing], now: float) -> None:
    """Judge the open period of each disk and how it stands; `rows` hold what was seen of it last, and are changed.

    The disks are locked by the caller.
    """
    assigned = assigned_to(cursor, rows)
    terms = {disk: term_at(assigned.get(disk, ()), now) for disk in rows}
    groups: dict[tuple[int, str], list[int]] = defaultdict(list)
    marked = {disk for disk, row in rows.items() if DISPUTED in row.reasons}
    for disk, term in terms.items():
        contract = contract_of(term) if term else None
        groups[_vantage(contract), contract.zone if contract else "UTC"].append(disk)
    for (vantage, zone), disks in groups.items():
        period = period_of(datetime.fromtimestamp(now, UTC), zone)
        start, end = int(period.start.timestamp()), int(period.end.timestamp())
        windows = windows_between(cursor, disks, start, now + 1)
        sums: dict[int, list[Row]] = defaultdict(list)
        for got in sums_between(cursor, start, end, vantage=vantage, disks=disks, names=VERDICT):
            sums[got[0]].append(got)
        _burn(cursor, [rows[disk] for disk in disks], terms, vantage, now)
        for disk in disks:
            row = rows[disk]
            row.vantage, row.term, row.period = vantage, terms[disk], period.text
            _judge(row, sums.get(disk, []), assigned.get(disk, []), windows.get(disk, []), period, now)
    mark_disputed(cursor, {disk: row.reasons for disk, row in rows.items()}, marked, now)
    put_standings(cursor, rows.values())


def _vantage(contract: Contract | None) -> int:
    return int(Vantage.of(contract.vantage)) if contract else int(Vantage.GUEST)


def parts_of(rows: Iterable[Row], *, excluded: bool | None = False) -> list[Part]:
    """The judged parts of a disk's sums. `excluded`: False leaves out what is taken out, None keeps everything."""
    return [
        Part(contract_of(row[AT["term"]]).slow_ppm if row[AT["term"]] else 0, sums_of(row))
        for row in rows
        if excluded is None or row[AT["excluded"]] == excluded
    ]


def _judge(
    row: Standing, sums: list[Row], assigned: list[Assigned], windows: list[Window], period: Period, now: float
) -> None:
    parts = parts_of(sums)
    contract = contract_of(row.term) if row.term else None
    start, end = period.start.timestamp(), period.end.timestamp()
    begin = judged_from(start, min((one.start for one in assigned if one.end > start), default=None), row.first_at)
    until = judged_until(end, now, row.seen_at or 0.0, SILENT_S)
    taken_out = excluded_s([(w.start, w.end) for w in windows if w.excludes], begin or start, until)
    covered = coverage_ppm(total_of(parts).observed_s, begin, until, taken_out)
    firing = [name for name in row.firing if contract]
    acute = row.acute_at is not None and now - row.acute_at < ACUTE_CALM_S
    verdict = (
        judge_period(
            parts,
            coverage_ppm=covered,
            min_coverage_ppm=contract.min_coverage_ppm,
            min_eligible=contract.min_eligible,
            budget_by=contract.budget_by,
            firing=[*firing, *(["acute"] if acute else [])],
        )
        if contract
        else Verdict(State.EXCUSED, True, ("NO_CONTRACT",))
    )
    seen = row.seen_at
    state = judge_now(
        in_maintenance=any(w.start <= now < w.end for w in windows),
        silent_s=None if seen is None else now - seen,
        period=verdict.state,
        paging=acute or not PAGES.isdisjoint(firing),
        idle_s=quiet_s(seen, row.busy_at),
        excused_s=quiet_s(seen, row.covered_at),
    )
    row.state, row.period_state = int(state), int(verdict.state)
    # A page rule is an estimate until the period itself is proved.
    row.proved = verdict.proved if state in (verdict.state, State.MET, State.AT_RISK) else state != State.BREACHED
    row.rank, row.reasons = WORST_FIRST.index(state), list(verdict.reasons)
    _figures(row, parts, sums, covered)
    row.updated_at = now


def quiet_s(seen: float | None, last: float | None) -> float:
    """For how long, up to its last frame, a disk had nothing; for ever, where it never had anything."""
    if seen is None:
        return 0.0
    return float("inf") if last is None else seen - last


def _figures(row: Standing, parts: list[Part], sums: list[Row], covered: int) -> None:
    total, attained, left = total_of(parts), sli(parts), budget(parts)
    row.ios, row.eligible, row.slow, row.lost_ms = total.ios, total.eligible, total.slow, total.lost_ms
    row.sli_low, row.sli_estimate, row.sli_high = (
        ratio(end, DIGITS) for end in (attained.low, attained.estimate, attained.high)
    )
    row.budget_left_low, row.budget_left_estimate, row.budget_left_high = (
        ratio(end, DIGITS) for end in (left.left.low, left.left.estimate, left.left.high)
    )
    row.budget_total = float(left.total)
    row.coverage = covered / PPM
    row.grade = max((got[AT["grade"]] for got in sums), default=WORST_GRADE)


def _burn(
    cursor: "psycopg.Cursor[tuple]", rows: list[Standing], terms: Mapping[int, int], vantage: int, now: float
) -> None:
    """The burn-rate rules of disks that had something slow within the longest short window, or that fire already."""
    live = [row for row in rows if terms[row.disk_id] and (row.firing or row.burn_rate is None)]
    for row in rows:
        if not terms[row.disk_id]:
            row.firing, row.burn_rate = [], None
    if not live:
        return
    end = int(max((row.seen_at or now) for row in live))
    windows = burning.windows(cursor, [row.disk_id for row in live], vantage, end)
    for row in live:
        objective = contract_of(terms[row.disk_id]).objective_ppm
        got = windows[row.disk_id]
        row.firing = [rule.name for rule in firing_rules(got, objective, frozenset(row.firing))]
        row.burn_rate = burn(burn_rate(*got[RULES[0].long_s], objective), 3)
