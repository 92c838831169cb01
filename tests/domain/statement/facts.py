"""Disks and months for the tests of statements."""

from typing import Any

from hypothesis import strategies as st

from sla.domain.contract_text import parse_contract
from sla.domain.coverage import excluded_s
from sla.domain.period import Period
from sla.domain.statement.document import Head
from sla.domain.statement.facts import DiskFacts, Exclusion, Terms, TermSums
from sla.domain.verdict import Sums

PERIOD = Period(2026, 10, "Europe/Berlin")
START, END = int(PERIOD.start.timestamp()), int(PERIOD.end.timestamp())
TEXTS = (
    "99% < 15 ms at 1000 IOPS",
    "99.9% < 5 ms at 3000 IOPS coverage 90%",
    "95% < 20 ms at 500 IOPS budgeted by slots",
)


def terms(index: int = 0, fee: int | None = 1234) -> Terms:
    return Terms(index + 1, "SSD", index + 1, parse_contract(TEXTS[index]), TEXTS[index], fee, "EUR")


def head(**change: Any) -> Head:
    told: dict[str, Any] = {
        "number": "2026-10-00001-1",
        "issue": 1,
        "supersedes": None,
        "reason": "",
        "issuer": "https://sla.example",
        "made_at": END + 4 * 86_400,
        "customer_id": 1,
        "customer": "株式会社さくら",
        "period": "2026-10",
        "zone": "Europe/Berlin",
        "start": START,
        "end": END,
        "closes_at": END + 3 * 86_400,
        "closed": True,
    }
    return Head(**told | change)


def disk(sums: Sums | None = None, **change: Any) -> DiskFacts:
    """A disk of the whole month under the first contract."""
    t = terms()
    rows = () if sums is None else (row(t, sums),)
    told: dict[str, Any] = {
        "id": 7,
        "machine": "web-1",
        "device": "vda",
        "serial": "x",
        "wwn": "",
        "size_bytes": None,
        "zone": "Europe/Berlin",
        "start": START,
        "end": END,
        "held_from": None,
        "held_until": None,
        "terms": t,
        "assigned": (),
        "rows": rows,
        "covered_from": START,
        "covered_until": END,
        "excluded_s": 0,
    }
    return DiskFacts(**told | change)


def row(t: Terms, sums: Sums, *, excluded: bool = False) -> TermSums:
    minutes = sums.observed_s // 60
    return TermSums(t.term, t.contract.slow_ppm, excluded, sums, 2, minutes, 0, 0, 0)


@st.composite
def some_sums(draw: st.DrawFn) -> Sums:
    """Figures in the order that slots keep them: low ≤ estimate ≤ high ≤ all."""
    ios = draw(st.sampled_from([0, 5, 900, 20_000, 10**9]).flatmap(lambda most: st.integers(0, most)))
    low, estimate, high = sorted(draw(st.lists(st.integers(0, ios), min_size=3, max_size=3)))
    slow = draw(st.lists(st.integers(0, max(1, high // draw(st.sampled_from([1, 30, 150])))), min_size=3, max_size=3))
    slow_low, slow_mid, slow_high = sorted(min(one, high) for one in slow)
    met, breached = draw(st.integers(0, 40_000)), draw(st.integers(0, 600))
    return Sums(
        observed_s=draw(st.integers(0, END - START)),
        ios=ios,
        eligible_low=low,
        eligible=estimate,
        eligible_high=high,
        slow_low=slow_low,
        slow=slow_mid,
        slow_high=slow_high,
        lost_ms=draw(st.sampled_from([0, 0, 10_000, 10**8])),
        gap_ios=draw(st.sampled_from([0, 12])),
        gap_ms=0,
        slots_met=met,
        slots_met_proved=draw(st.integers(0, met)),
        slots_breached=breached,
        slots_breached_proved=draw(st.integers(0, breached)),
    )


@st.composite
def months(draw: st.DrawFn) -> tuple[list[DiskFacts], list[Exclusion]]:
    """A disk or two under one or two versions, with time taken out."""
    start = draw(st.integers(START - 1000, END - 60))
    windows = [
        Exclusion(n, start, start + length, "move", True, draw(st.booleans()), START, "", (), (7, 8))
        for n, length in enumerate(draw(st.lists(st.integers(1, 90_000), max_size=2)))
    ]
    disks, fee = [], draw(st.sampled_from([None, 0, 999]))
    for number in range(draw(st.integers(1, 2))):
        versions = draw(st.lists(st.sampled_from(range(len(TEXTS))), min_size=1, max_size=2, unique=True))
        rows = tuple(
            row(terms(version), draw(some_sums()), excluded=excluded)
            for version in sorted(versions)
            for excluded in draw(st.sampled_from([(False,), (False, True), ()]))
        )
        begin = draw(st.none() | st.integers(START, END - 1))
        out = excluded_s([(w.start, w.end) for w in windows if w.excludes], begin or START, END)
        own = terms(versions[-1], fee)
        under = draw(st.booleans())
        disks.append(
            disk(
                id=7 + number,
                rows=rows if under else (),
                terms=own if draw(st.integers(0, 9)) else None,
                covered_from=begin,
                excluded_s=out,
            )
        )
    return disks, windows
