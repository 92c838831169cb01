"""How is a disk of the list said in words? One row each, from what stands in the database, nothing computed anew."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy

from sla.contracts.models import ContractVersion
from sla.domain.display import percent
from sla.domain.evidence import MINUTE_S
from sla.domain.states import State
from sla.domain.verdict import SILENT_S
from sla.figures import decimal
from sla.fleet.models import Disk
from sla.scoring.models import DiskNow
from sla.scoring.strips import Cell, p99_ms, strips
from sla.web.fleet_lines import Line
from sla.web.templatetags.ages import age

JUDGED = (State.MET, State.AT_RISK, State.BREACHED)
P99_FRESH_S = 900  # an older minute's percentile is no news


Stands = DiskNow | Line


def now_of(disk: Disk) -> DiskNow | None:
    """How it stands; None before its first frame."""
    return getattr(disk, "now", None)


def state_of(disk: Disk) -> State:
    """Its state now."""
    now = now_of(disk)
    return State(now.state) if now else State.NO_DATA


WORDS = {
    State.MET: gettext_lazy("Met"),
    State.AT_RISK: gettext_lazy("At risk"),
    State.BREACHED: gettext_lazy("Breached"),
    State.EXCUSED: gettext_lazy("Excused"),
    State.MAINTENANCE: gettext_lazy("Maintenance"),
    State.NO_DATA: gettext_lazy("No data"),
    State.IDLE: gettext_lazy("Idle"),
}


def said(state: State) -> str:
    """`AT_RISK` is 'At risk'."""
    return str(WORDS[state])


_versions: dict[int, ContractVersion] = {}  # one never changes once it is in force, so it is read once


def contracts_of(disks: Iterable[Disk]) -> dict[int, ContractVersion]:
    """The versions that judge these disks."""
    return versions_of(now.term for disk in disks if (now := now_of(disk)))


def versions_of(terms: Iterable[int | None]) -> dict[int, ContractVersion]:
    """By their ids; those not yet known in one query."""
    wanted = {term for term in terms if term}
    if missing := wanted - _versions.keys():
        _versions.update(ContractVersion.objects.in_bulk(missing))
    return {term: _versions[term] for term in wanted if term in _versions}


def digits_for(version: ContractVersion | None) -> int:
    """One place more than the objective has, two at least: 99.95 % is judged by 99.953."""
    ppm = version.objective_ppm if version else 990_000
    return max(2, len(f"{ppm / 10_000:.4f}".rstrip("0").partition(".")[2]) + 1)


def cut(ratio: float | None, digits: int) -> str | None:
    """A stored ratio in percent, cut: 0.99996 is 99.99."""
    return None if ratio is None else percent(Fraction(repr(ratio)), digits)


def attained(now: Stands | None, digits: int) -> str | None:
    """'98.61–98.90 %': both ends cut, neither rounded up; one figure where they are the same."""
    if now is None:
        return None
    low, high = cut(now.sli_low, digits), cut(now.sli_high, digits)
    if low is None or high is None:
        return None
    low, high = decimal(low), decimal(high)
    return f"{low} %" if low == high else f"{low}–{high} %"


@dataclass(frozen=True, slots=True)
class Left:
    """What is left of the budget: in whole percent, cut towards less, and the length of its bar of 90."""

    text: str
    width: int
    tone: str


def budget_left(now: Stands | None) -> Left | None:
    """None where nothing was judged yet."""
    if now is None or now.budget_left_estimate is None:
        return None
    ratio = now.budget_left_estimate
    whole = floor(Fraction(repr(ratio)) * 100)
    text = str(whole).replace("-", "−") if whole > -1000 else "< −999"
    tone = "breached" if ratio < 0 else "at_risk" if ratio < 0.2 else ""
    return Left(f"{text} %", max(0, min(90, round(90 * ratio))), tone)


def load(now: Stands | None, version: ContractVersion | None) -> str | None:
    """I/Os of the last minute against what the contract covers; cut."""
    if now is None or now.iops is None or version is None:
        return None
    share = now.iops / version.iops
    return "< 1 %" if 0 < share < 0.01 else f"{floor(share * 100)} %"


def burning(now: Stands | None) -> str | None:
    """How many times faster than allowed the budget went in the last hour; cut upwards."""
    if now is None or now.burn_rate is None or now.burn_rate <= 0:
        return None
    tenths = ceil(Fraction(repr(now.burn_rate)) * 10)
    return f"{tenths / 10:.1f}" if tenths < 100 else str(-(-tenths // 10))


def ms(value: float | None) -> str | None:
    """0.94 ms, 9.4 ms, 61 ms, 1.2 s."""
    if value is None:
        return None
    if value >= 1000:
        return f"{value / 1000:.1f} s"
    return f"{value:.{2 if value < 1 else 1 if value < 10 else 0}f} ms"


def _row(line: Line, versions: dict[int, ContractVersion], at: datetime) -> dict[str, Any]:
    state = State.NO_DATA if line.state is None else State(line.state)
    version = versions.get(line.term) if line.term else None
    likely = state in JUDGED and not line.proved
    return {
        "disk": line.disk,
        "name": line.name,
        "device": line.device,
        "customer": line.customer,
        "pool": line.pool,
        "address": _address().format(line.disk),
        "state": state.word,
        "mark": _mark(state.word, said(state), gettext("likely") if likely else ""),
        "contract": version.text if version else None,
        "objective": f"{version.objective_ppm / 10_000:.4f}".rstrip("0").rstrip(".") if version else None,
        "attained": attained(line, digits_for(version)),
        "left": budget_left(line),
        "load": load(line, version),
        "burning": burning(line),
        "fires": bool(line.firing),
        "seen": int(line.seen_at.timestamp()) if line.seen_at else None,
        "age": age((at - line.seen_at).total_seconds()) if line.seen_at else None,
    }


@lru_cache(maxsize=1)
def _address() -> str:
    """Looking the address up for each row costs as much as the rest of the row."""
    return reverse("disk", args=[0]).replace("0", "{}")


@lru_cache(maxsize=128)
def _mark(state: str, word: str, likely: str) -> SafeString:
    """The few marks that there are are rendered once a process; the words are in the reader's language."""
    return render_to_string("components/state.html", {"state": state, "word": word, "likely": likely})


@lru_cache(maxsize=2048)
def _bar(left: Left) -> SafeString:
    """The same for the bars: there are no more than percents."""
    return render_to_string("fleet/left.html", {"left": left})


def table(lines: Sequence[Line], at: datetime) -> list[dict[str, Any]]:
    """Rows of the table."""
    versions = versions_of(line.term for line in lines)
    slots = [
        (line.disk, int(line.vantage or 0), int(line.slot_start.timestamp()))
        for line in lines
        if line.slot_start and (at - line.slot_start).total_seconds() < P99_FRESH_S
    ]
    slowest = p99_ms(slots)
    rows = [{**_row(line, versions, at), "p99": ms(slowest.get(line.disk))} for line in lines]
    return [{**row, "bar": _bar(row["left"]) if row["left"] else None} for row in rows]


def out_of_contract(lines: Sequence[Line], at: datetime) -> list[dict[str, Any]]:
    """Rows with their last hour: a cell a minute."""
    versions = versions_of(line.term for line in lines)
    vantages = {line.disk: line.vantage for line in lines if line.vantage is not None}
    cells = strips(vantages, _end(lines, at))
    return [{**_row(line, versions, at), "strip": _strip(cells.get(line.disk, []))} for line in lines]


def _end(lines: Iterable[Line], at: datetime) -> int:
    """Where the strips end: a minute that nobody could send yet is no gap, but a silent fleet shows its silence."""
    newest = max((line.slot_start.timestamp() + MINUTE_S for line in lines if line.slot_start), default=0)
    return int(max(newest, at.timestamp() - SILENT_S))


# Taller is worse, so that nobody has to tell red from green: (y, height) in a box 24 high.
HEIGHTS = {State.BREACHED: (1, 22), State.EXCUSED: (9, 14), State.MET: (9, 14), State.MAINTENANCE: (14, 9)}
LOW = (20, 3)


def _strip(cells: Sequence[Cell]) -> dict[str, Any]:
    """One path for all the minutes of a kind: six elements where there would be sixty. `kinds` says each minute's."""
    paths: dict[str, str] = {}
    kinds = []
    for place, cell in enumerate(cells):
        state = cell.state or State.NO_DATA
        y, height = HEIGHTS.get(state, LOW)
        kinds.append("likely" if state is State.BREACHED and not cell.proved else state.word)
        paths[kinds[-1]] = f"{paths.get(kinds[-1], '')}M{place * 6} {y}h5v{height}h-5z"
    counted = Counter(cell.state or State.NO_DATA for cell in cells)
    words = ", ".join(f"{count} {said(state).lower()}" for state, count in counted.most_common())
    return {
        "paths": paths,
        "kinds": " ".join(kinds),
        "width": len(cells) * 6 - 1,
        "start": cells[0].start if cells else 0,
        "slow": State.BREACHED in counted,
        "words": gettext("last %(count)s minutes: %(words)s") % {"count": len(cells), "words": words},
    }
