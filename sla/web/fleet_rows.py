"""How is a disk of the list said in words? One row each, from what stands in the database, nothing computed anew."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from math import ceil, floor
from typing import Any

from django.utils.translation import gettext_lazy

from sla.contracts.models import ContractVersion
from sla.domain.display import percent
from sla.domain.evidence import MINUTE_S
from sla.domain.states import State
from sla.domain.verdict import SILENT_S
from sla.fleet.models import Disk
from sla.scoring.models import DiskNow
from sla.scoring.strips import Cell, p99_ms, strips

JUDGED = (State.MET, State.AT_RISK, State.BREACHED)
P99_FRESH_S = 900  # an older minute's percentile is no news


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
    """The versions that judge these disks; those not yet known in one query."""
    wanted = {now.term for disk in disks if (now := now_of(disk)) and now.term}
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


def attained(now: DiskNow | None, digits: int) -> str | None:
    """'98.61–98.90 %': both ends cut, neither rounded up; one figure where they are the same."""
    if now is None:
        return None
    low, high = cut(now.sli_low, digits), cut(now.sli_high, digits)
    if low is None or high is None:
        return None
    return f"{low} %" if low == high else f"{low}–{high} %"


@dataclass(frozen=True, slots=True)
class Left:
    """What is left of the budget: in whole percent, cut towards less, and the length of its bar of 90."""

    text: str
    width: int
    tone: str


def budget_left(now: DiskNow | None) -> Left | None:
    """None where nothing was judged yet."""
    if now is None or now.budget_left_estimate is None:
        return None
    ratio = now.budget_left_estimate
    whole = floor(Fraction(repr(ratio)) * 100)
    text = str(whole).replace("-", "−") if whole > -1000 else "< −999"
    tone = "breached" if ratio < 0 else "at_risk" if ratio < 0.2 else ""
    return Left(f"{text} %", max(0, min(90, round(90 * ratio))), tone)


def load(now: DiskNow | None, version: ContractVersion | None) -> str | None:
    """I/Os of the last minute against what the contract covers; cut."""
    if now is None or now.iops is None or version is None:
        return None
    share = now.iops / version.iops
    return "< 1 %" if 0 < share < 0.01 else f"{floor(share * 100)} %"


def burning(now: DiskNow | None) -> str | None:
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


def _row(disk: Disk, versions: dict[int, ContractVersion], at: datetime) -> dict[str, Any]:
    now, state = now_of(disk), state_of(disk)
    version = versions.get(now.term) if now else None
    return {
        "disk": disk,
        "state": state.word,
        "word": said(state),
        "likely": now is not None and state in JUDGED and not now.proved,
        "contract": version.text if version else None,
        "objective": f"{version.objective_ppm / 10_000:.4f}".rstrip("0").rstrip(".") if version else None,
        "attained": attained(now, digits_for(version)),
        "left": budget_left(now),
        "load": load(now, version),
        "burning": burning(now),
        "fires": bool(now and now.firing),
        "seen": int(now.seen_at.timestamp()) if now and now.seen_at else None,
        "age": (at - now.seen_at).total_seconds() if now and now.seen_at else None,
    }


def table(disks: Sequence[Disk], at: datetime) -> list[dict[str, Any]]:
    """Rows of the table."""
    versions = contracts_of(disks)
    slots = [
        (disk.pk, int(now.vantage), int(now.slot_start.timestamp()))
        for disk in disks
        if (now := now_of(disk)) and now.slot_start and (at - now.slot_start).total_seconds() < P99_FRESH_S
    ]
    slowest = p99_ms(slots)
    return [{**_row(disk, versions, at), "p99": ms(slowest.get(disk.pk))} for disk in disks]


def out_of_contract(disks: Sequence[Disk], at: datetime) -> list[dict[str, Any]]:
    """Rows with their last hour: a cell a minute."""
    versions = contracts_of(disks)
    vantages = {disk.pk: int(now.vantage) for disk in disks if (now := now_of(disk))}
    cells = strips(vantages, _end(disks, at))
    return [{**_row(disk, versions, at), "strip": _strip(cells.get(disk.pk, []))} for disk in disks]


def _end(disks: Iterable[Disk], at: datetime) -> int:
    """Where the strips end: a minute that nobody could send yet is no gap, but a silent fleet shows its silence."""
    starts = (now.slot_start for disk in disks if (now := now_of(disk)))
    newest = max((start.timestamp() + MINUTE_S for start in starts if start), default=0)
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
        "words": f"last {len(cells)} minutes: {words}",
    }
