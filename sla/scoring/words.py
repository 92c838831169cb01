"""How do scores leave the house? Plain dicts with the read API's keys; unknown is None, ratios are cut."""

from collections.abc import Mapping
from typing import Any

from sla.domain.display import ratio
from sla.domain.evidence import MINUTE_S
from sla.domain.seconds import Steps
from sla.domain.states import Case, Grade, Reason, State
from sla.domain.verdict import Interval

DIGITS = 9


def three(interval: Interval) -> dict[str, float | None]:
    """Low, estimate, high of ratios."""
    return {name: ratio(getattr(interval, name), DIGITS) for name in ("low", "estimate", "high")}


def counts(low: int, estimate: int, high: int) -> dict[str, int]:
    """Low, estimate, high of counts."""
    return {"low": low, "estimate": estimate, "high": high}


def mean(total: float, over: int, digits: int = 4) -> float | None:
    """total / over, None where there is nothing to divide by."""
    return round(total / over, digits) if over else None


def slot_item(slot: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the slots' table (`start` in Unix seconds) as the API gives it."""
    ios = slot["read_ios"] + slot["write_ios"]
    observed = slot["observed_s"]
    return {
        "start": slot["start"],
        "ios": ios,
        "bytes": slot["read_bytes"] + slot["write_bytes"],
        "await_ms": mean(slot["read_ms"] + slot["write_ms"], ios),
        "aqu_sz": mean(slot["queue_ms"] / 1000, observed),
        "eligible": slot["eligible"],
        "eligible_low": slot["eligible_low"],
        "eligible_high": slot["eligible_high"],
        "excess": ios - slot["eligible"],
        "slow": counts(slot["slow_low"], slot["slow"], slot["slow_high"]),
        "lost_ms": slot["lost_ms"],
        "state": State(slot["state"]).word,
        "proved": slot["proved"],
        "grade": Grade(slot["grade"]).name,
        "coverage": ratio_of(observed, MINUTE_S),
        "reason": Reason(slot["reason"]).name if slot["reason"] else None,
        "read_ios": slot["read_ios"],
        "write_ios": slot["write_ios"],
        "read_await_ms": mean(slot["read_ms"], slot["read_ios"]),
        "write_await_ms": mean(slot["write_ms"], slot["write_ios"]),
        "p50_ms": milliseconds(slot["p50_us"]),
        "p95_ms": milliseconds(slot["p95_us"]),
        "p99_ms": milliseconds(slot["p99_us"]),
        "in_flight": slot["in_flight"],
        "gap": {"ios": slot["gap_ios"], "ms": slot["gap_ms"]},
    }


def second_item(t: int, step_s: int, steps: Steps, at: tuple[int, int], time_ms: int, queue_ms: int) -> dict[str, Any]:
    """One step of a frame as the API gives it; `at`: its frame and place."""
    case = Case(int(steps.case[at]))
    ios = int(steps.ios[at])
    unknown = case is Case.UNKNOWN
    return {
        "t": t,
        "ios": None if unknown else ios,
        "await_ms": None if unknown else mean(time_ms, ios),
        "aqu_sz": None if unknown else mean(queue_ms / 1000, step_s),
        "case": case.word,
        "eligible": None if unknown else int(steps.covered[at]),
        "slow": None if unknown else counts(int(steps.slow_low[at]), int(steps.slow[at]), int(steps.slow_high[at])),
        "excess_low": None if unknown else int(steps.excess_low[at]),
        "excess_high": None if unknown else int(steps.excess_high[at]),
        "lost_ms": None if unknown else int(steps.lost_ms[at]),
    }


def ratio_of(part: int, whole: int) -> float:
    """part / whole, cut."""
    return part * 10**DIGITS // whole / 10**DIGITS


def milliseconds(us: int | None) -> float | None:
    """15000 is 15.0."""
    return None if us is None else us / 1000
