"""How is a judged log said? Rows, a verdict, a grade, an SLI, and what better evidence would need."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from sla.domain.contract import EXCUSED_BELOW_PPM, PPM, Contract
from sla.domain.display import ratio
from sla.domain.states import WORST_FIRST, Case, Grade, State
from sla.domain.verdict import Part, Sums, Verdict, breach_likely, breach_proved, met_proved, sli, total_of

DIGITS = 9
NEEDS = {
    Grade.A: "nothing: every latency was counted",
    Grade.B: "a finer cadence (plimsoll-agent: down to 10 ms), in_flight as Linux 6.16 and later count it, or an exact "
    "source (eBPF, QEMU histograms)",
    Grade.C: "samples of 100 ms or finer with in_flight (plimsoll-agent record FILE): whole seconds prove little",
}


@dataclass(frozen=True, slots=True)
class Piece:
    """One device over one sample: what was counted, and `lost_ms` that is likely though not proved."""

    device: str
    time: str | None
    seconds: float
    sums: Sums
    time_ms: int
    case: Case
    aqu_sz: float | None = None
    likely_lost_ms: int = 0
    delivered: float | None = None
    counts: bool = True


@dataclass(frozen=True, slots=True)
class Log:
    """A log that was read and labelled."""

    format: str
    grade: Grade
    pieces: Sequence[Piece]
    notes: list[str] = field(default_factory=list)


def judge(sums: Sums, contract: Contract, likely_lost_ms: int = 0) -> Verdict:
    """State of a row or a log, first that fits (semantics §5, slot); `likely_lost_ms` breaches but proves nothing."""
    parts = [Part(contract.slow_ppm, sums)]
    if sums.observed_s == 0:
        return Verdict(State.NO_DATA, True)
    lost_likely = likely_lost_ms * PPM > contract.slow_ppm * sums.observed_s * 1000
    if not sums.ios and not sums.lost_ms and not likely_lost_ms:
        return Verdict(State.IDLE, True)
    if breach_likely(parts) or lost_likely:
        reasons = ["LOST_TIME"] if lost_likely else []
        return Verdict(State.BREACHED, breach_proved(parts), tuple(reasons))
    if sums.eligible * PPM < EXCUSED_BELOW_PPM * sums.ios:
        return Verdict(State.EXCUSED, sums.eligible_high * PPM < EXCUSED_BELOW_PPM * sums.ios)
    return Verdict(State.MET, met_proved(parts))


def said(log: Log, contract: Contract) -> dict[str, Any]:
    """The answer of score_log, ready for JSON."""
    devices = {}
    for name in dict.fromkeys(piece.device for piece in log.pieces):
        devices[name] = _whole([p for p in log.pieces if p.device == name and p.counts], contract)
    # A contract holds for one disk: several are not added up, the worst one is the log's verdict.
    order = {state.word: place for place, state in enumerate(WORST_FIRST)}
    worst = min(devices, key=lambda name: (order[devices[name]["verdict"]], -devices[name]["ios"]))
    return {
        "format": log.format,
        "contract": contract.text,
        "rows": [_row(piece, contract) for piece in log.pieces],
        "verdict": devices[worst]["verdict"],
        "proved": devices[worst]["proved"],
        "word": devices[worst]["word"],
        "grade": log.grade.name,
        "sli": devices[worst]["sli"],
        "device": worst,
        "devices": devices,
        "needs": NEEDS[log.grade],
        "notes": log.notes,
    }


def _whole(pieces: Iterable[Piece], contract: Contract) -> dict[str, Any]:
    pieces = list(pieces)
    sums = total_of(Part(contract.slow_ppm, piece.sums) for piece in pieces)
    lost = sum(piece.likely_lost_ms for piece in pieces)
    verdict = judge(sums, contract, lost)
    attained = sli([Part(contract.slow_ppm, sums)])
    return {
        "verdict": verdict.state.word,
        "proved": verdict.proved,
        "word": verdict.word,
        "sli": {name: ratio(getattr(attained, name), DIGITS) for name in ("low", "estimate", "high")},
        "ios": sums.ios,
        "eligible": sums.eligible,
        "slow": {"low": sums.slow_low, "estimate": sums.slow, "high": sums.slow_high},
        "excess": sums.ios - sums.eligible,
        "lost_s": (sums.lost_ms + lost) / 1000,
        "seconds": round(sum(piece.seconds for piece in pieces), 3),
    }


def _row(piece: Piece, contract: Contract) -> dict[str, Any]:
    sums = piece.sums
    verdict = judge(sums, contract, piece.likely_lost_ms)
    return {
        "device": piece.device,
        "time": piece.time,
        "seconds": piece.seconds,
        "ios": sums.ios,
        "iops": round(sums.ios / piece.seconds, 2) if piece.seconds else None,
        "await_ms": round(piece.time_ms / sums.ios, 3) if sums.ios else None,
        "aqu_sz": piece.aqu_sz,
        "case": piece.case.word,
        "verdict": verdict.state.word,
        "proved": verdict.proved,
        "word": verdict.word,
        "eligible": sums.eligible,
        "slow": {"low": sums.slow_low, "estimate": sums.slow, "high": sums.slow_high},
        "delivered_ratio": ratio(Fraction(piece.delivered), 4) if piece.delivered is not None else None,
        "counts": piece.counts,
    }
