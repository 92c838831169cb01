"""What does a test in steps say of a contract? Judged from its histograms, whatever terms the tester had in mind."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from plimsoll_agent.probe.steps import Promise, Step, tipping_point


@dataclass(frozen=True, slots=True)
class Terms:
    """A promise to hold a test against: µs, millionths, and I/Os a second (0: none was named)."""

    threshold_us: int
    objective_ppm: int
    iops: int


@dataclass(frozen=True, slots=True)
class Judged:
    """Each step's I/Os over the threshold and whether it keeps the objective; the tipping point's load, or None.

    `reached`: the promised load was carried in time; None where no load is promised. `beyond`: no step broke the
    promise, so the true tipping point may lie higher.
    """

    slow: tuple[int, ...]
    met: tuple[bool, ...]
    tipping_iops: float | None
    tipping_concurrency: int | None
    reached: bool | None
    beyond: bool


def threshold_of(said: Mapping[str, Any], read_us: int, write_us: int) -> int:
    """By the direction that was tried; a mixture does not tell its halves apart, so the stricter one counts."""
    return {0: read_us, 100: write_us}.get(said["write_percent"], min(read_us, write_us))


def own_terms(said: Mapping[str, Any]) -> Terms:
    """What the tester tried it against."""
    return Terms(round(said["slow_ms"] * 1000), round(said["objective"] * 1_000_000), said["iops"])


def judge(said: Mapping[str, Any], terms: Terms) -> Judged:
    """`said` of a test in steps, held against `terms`."""
    promise = Promise(terms.threshold_us, terms.objective_ppm, terms.iops)
    steps = [Step(one["concurrency"], one["seconds"], one["ios"], 0.0, dict(one["hist"])) for one in said["steps"]]
    tip = tipping_point(steps, promise)
    met = tuple(step.meets(promise) for step in steps)
    carried = tip.iops if tip is not None else 0.0
    return Judged(
        slow=tuple(step.slow(promise) for step in steps),
        met=met,
        tipping_iops=None if tip is None else tip.iops,
        tipping_concurrency=None if tip is None else tip.concurrency,
        reached=carried >= terms.iops if terms.iops else None,
        beyond=bool(met) and all(met),
    )
