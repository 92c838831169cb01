"""What must be read before a month can be stated? A fixed number of queries, whatever the number of disks."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import psycopg

from sla.accounts.models import Customer
from sla.contracts.models import ContractVersion
from sla.domain.contract import Contract
from sla.domain.coverage import excluded_s, judged_from, judged_until
from sla.domain.period import Period, parse_period
from sla.domain.statement.facts import Assigned, DiskFacts, Exclusion, Terms, TermSums
from sla.domain.verdict import SILENT_S
from sla.fleet.models import Disk
from sla.fleet.vantage import Vantage
from sla.reports import around, days
from sla.reports.closings import disks_of_month
from sla.reports.custody import Held
from sla.reports.evidence import Span
from sla.reports.exclusions import exclusions as exclusions_of
from sla.scoring.now import Standing, standings
from sla.scoring.period_sums import AT, Row, sums_between, sums_of
from sla.scoring.store import FAR_S
from sla.scoring.terms import Assigned as Assignment
from sla.scoring.terms import assigned_to, contract_of, term_at


@dataclass(frozen=True, slots=True)
class Gathered:
    """A customer's month, ready to be stated. `zone`: its calendar; spans: what its CSVs hold."""

    period: Period
    disks: list[DiskFacts]
    exclusions: list[Exclusion]
    spans: list[Span]

    @property
    def closes_at(self) -> datetime:
        """When the last of its months closes: contracts may keep to the calendars of several zones."""
        zones = {self.period.zone, *(disk.zone for disk in self.disks)}
        return max(Period(self.period.year, self.period.month, zone).closes_at for zone in zones)


def gather(cursor: "psycopg.Cursor[tuple]", customer: Customer, period_text: str, now: datetime) -> Gathered:
    """Raises PeriodError for a text that names no month."""
    asked = parse_period(period_text)
    held = disks_of_month(customer, period_text)
    ids = [disk.pk for disk in held]
    assigned = assigned_to(cursor, ids)
    at = min(now.timestamp(), asked.end.timestamp() - 1)
    stands = standings(cursor, ids)
    cut = []
    for disk, whiles in held.items():
        listed = assigned.get(disk.pk, [])
        term = term_at(listed, at) or (listed[-1].term if listed else 0)
        contract = contract_of(term) if term else None
        period = parse_period(period_text, contract.zone if contract else "UTC")
        whole = (int(period.start.timestamp()), int(period.end.timestamp()))
        for one in whiles:
            start, end = max(whole[0], one.start or whole[0]), min(whole[1], one.end or whole[1])
            if start < end:
                cut.append(_Cut(disk, term, contract, period, start, end, one))
    spans = spans_of(cut)
    sums = _sums(cursor, spans)
    exclusions = exclusions_of(customer, [one.disk for one in cut], spans)
    terms = _terms({one.term for one in cut if one.term})
    seen = _seen(cursor, cut, stands)
    facts = [_facts(one, terms, assigned.get(one.disk.pk, []), sums, exclusions, seen, stands, now) for one in cut]
    facts = days.with_days(cursor, facts, spans)
    facts = around.with_surroundings(cursor, facts, now)
    return Gathered(_calendar(asked, customer, cut), facts, exclusions, spans)


@dataclass(frozen=True, slots=True)
class _Cut:
    """One disk over the part of the month in which this customer held it."""

    disk: Disk
    term: int
    contract: Contract | None
    period: Period
    start: int
    end: int
    held: Held

    @property
    def vantage(self) -> int:
        return int(Vantage.of(self.contract.vantage)) if self.contract else int(Vantage.GUEST)


def _calendar(asked: Period, customer: Customer, cut: Sequence[_Cut]) -> Period:
    """The month on the calendar that all contracts keep to; where they differ, on the customer's own."""
    zones = {one.period.zone for one in cut if one.contract}
    return replace(asked, zone=zones.pop() if len(zones) == 1 else customer.zone)


def spans_of(cut: Iterable[_Cut]) -> list[Span]:
    """Disks that are told alike, together."""
    groups: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    for one in cut:
        groups[one.vantage, one.start, one.end].append(one.disk.pk)
    return [Span(*group, tuple(sorted(groups[group]))) for group in sorted(groups)]


def _sums(cursor: "psycopg.Cursor[tuple]", spans: Iterable[Span]) -> dict[tuple[int, int, int], list[Row]]:
    """Per (disk, start, end) its rows, in order of version and exclusion."""
    found: dict[tuple[int, int, int], list[Row]] = defaultdict(list)
    for span in spans:
        for row in sorted(sums_between(cursor, span.start, span.end, vantage=span.vantage, disks=span.disks)):
            found[row[0], span.start, span.end].append(row)
    return found


def _terms(ids: Iterable[int]) -> dict[int, Terms]:
    return {
        version.pk: Terms(
            version.pk,
            version.contract.name,
            version.number,
            contract_of(version.pk),
            version.text,
            version.fee_cents,
            version.currency,
        )
        for version in ContractVersion.objects.select_related("contract").filter(pk__in=list(ids))
    }


def _seen(
    cursor: "psycopg.Cursor[tuple]", cut: Iterable[_Cut], stands: dict[int, Standing]
) -> dict[int, tuple[float | None, float | None]]:
    """Per disk when the first frame of its contract's side began and the last one ended."""
    found: dict[int, tuple[float | None, float | None]] = {}
    odd: dict[int, list[int]] = defaultdict(list)
    for one in cut:
        row = stands[one.disk.pk]
        if row.vantage == one.vantage and row.first_at is not None:
            found[one.disk.pk] = row.first_at, row.seen_at
        else:
            odd[one.vantage].append(one.disk.pk)
    for vantage, disks in odd.items():
        rows = cursor.execute(
            """
            SELECT disk_id, extract(epoch FROM min(start))::float8, extract(epoch FROM max(start))::float8 + 60
            FROM scoring_slot WHERE disk_id = ANY(%s) AND vantage = %s AND start > now() - make_interval(secs => %s)
            GROUP BY disk_id
            """,
            [disks, vantage, 10 * FAR_S],
        )
        found |= {disk: (first, last) for disk, first, last in rows}
    return found


def _facts(
    one: _Cut,
    terms: dict[int, Terms],
    assigned: Sequence[Assignment],
    sums: dict[tuple[int, int, int], list[Row]],
    exclusions: Sequence[Exclusion],
    seen: dict[int, tuple[float | None, float | None]],
    stands: dict[int, Standing],
    now: datetime,
) -> DiskFacts:
    disk = one.disk
    inside = [each for each in assigned if each.end > one.start and each.start < one.end]
    first, last = seen.get(disk.pk, (None, None))
    begin = judged_from(one.start, min((each.start for each in assigned if each.end > one.start), default=None), first)
    until = judged_until(one.end, now.timestamp(), last or 0.0, SILENT_S)
    taken_out = [(x.start, x.end) for x in exclusions if x.excludes and disk.pk in x.disks]
    standing = stands[disk.pk]
    return DiskFacts(
        id=disk.pk,
        machine=disk.machine.hostname,
        device=disk.device,
        serial=disk.serial,
        wwn=disk.wwn,
        size_bytes=disk.size_bytes,
        zone=one.period.zone,
        start=one.start,
        end=one.end,
        held_from=one.held.start if one.held.start is not None and one.held.start >= one.start else None,
        held_until=one.held.end if one.held.end is not None and one.held.end <= one.end else None,
        terms=terms.get(one.term),
        assigned=tuple(Assigned(each.term, _second(each.start), _second(each.end)) for each in inside),
        rows=tuple(_term_sums(row) for row in sums.get((disk.pk, one.start, one.end), [])),
        covered_from=_up(begin),
        covered_until=int(until),
        excluded_s=excluded_s(taken_out, begin or one.start, until),
        firing=tuple(standing.firing) if standing.period == one.period.text else (),
    )


def _up(value: float | None) -> int | None:
    return None if value is None else int(value)


def _second(value: float) -> int | None:
    return None if value in (float("-inf"), float("inf")) else int(value)


def _term_sums(row: Row) -> TermSums:
    term = row[AT["term"]]
    return TermSums(
        term=term,
        slow_ppm=contract_of(term).slow_ppm if term else 0,
        excluded=bool(row[AT["excluded"]]),
        sums=sums_of(row),
        grade=row[AT["grade"]],
        slots=row[AT["slots"]],
        slots_excused=row[AT["slots_excused"]],
        slots_idle=row[AT["slots_idle"]],
        slots_no_data=row[AT["slots_no_data"]],
    )
