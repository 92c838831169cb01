"""Is the budget burning too fast? The burn-rate rules and the acute rule of semantics §6."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
PPM = 1_000_000
MIN_SLOW, MIN_ELIGIBLE = 10, 100
CLEARS_AT = Fraction(7, 10)
ACUTE_WINDOW_S, ACUTE_LOST_MS, ACUTE_CALM_S = 60, 30_000, 300


@dataclass(frozen=True, slots=True)
class Rule:
    """Fires when both windows burn `factor` times faster than the budget allows (Google SRE workbook, chapter 5)."""

    name: str
    factor: Fraction
    long_s: int
    short_s: int
    severity: Literal["page", "ticket"]


RULES = (
    Rule("fast", Fraction(144, 10), 3_600, 300, "page"),
    Rule("medium", Fraction(6), 21_600, 1_800, "page"),
    Rule("slow", Fraction(3), 86_400, 7_200, "ticket"),
    Rule("trickle", Fraction(1), 259_200, 21_600, "ticket"),
)
WINDOWS_S = tuple(sorted({w for rule in RULES for w in (rule.long_s, rule.short_s)}))


def can_fire(rule: Rule, objective_ppm: int) -> bool:
    """Is there a share of slow I/Os that burns that fast? One above 1 does not exist."""
    return rule.factor.numerator * (PPM - objective_ppm) <= PPM * rule.factor.denominator


def refused_because(rule: Rule, objective_ppm: int) -> str | None:
    """Why a rule can never fire under this objective, or None."""
    if can_fire(rule, objective_ppm):
        return None
    share = (PPM - objective_ppm) / 10_000
    return (
        f"the burn-rate rule {rule.name!r} ({float(rule.factor):g}× over {rule.long_s // 60} min) can never fire: "
        f"{float(rule.factor):g} × {share:g} % is more than all I/Os; the other rules stand"
    )


def burn_rate(slow: int, eligible: int, objective_ppm: int) -> Fraction | None:
    """How many times faster than the budget allows; 1 is exactly on budget, None without covered I/Os."""
    return Fraction(slow * PPM, eligible * (PPM - objective_ppm)) if eligible else None


def fires(rule: Rule, windows: Mapping[int, tuple[int, int]], objective_ppm: int, *, firing: bool = False) -> bool:
    """Does the rule hold? `windows`: length in s -> (slow, eligible), by estimate.

    `firing`: it held before, so it clears only when a window falls under 0.7 × the factor.
    """
    if not can_fire(rule, objective_ppm):
        return False
    slow, eligible = windows[rule.short_s]
    if not firing and (slow < MIN_SLOW or eligible < MIN_ELIGIBLE):
        return False
    wanted = rule.factor * CLEARS_AT if firing else rule.factor
    rates = [burn_rate(*windows[length], objective_ppm) for length in (rule.long_s, rule.short_s)]
    return all(rate is not None and rate >= wanted for rate in rates)


def firing_rules(windows: Mapping[int, tuple[int, int]], objective_ppm: int, before: frozenset[str]) -> list[Rule]:
    """The rules that hold now; `before`: the names of those that held at the last look."""
    return [rule for rule in RULES if fires(rule, windows, objective_ppm, firing=rule.name in before)]


def acute_at(covered: Ints, slow: Ints, read_over_us: Ints, write_over_us: Ints, lost_ms: Ints) -> int | None:
    """Index of the last second at which the acute rule held, or None.

    Arrays of shape (S,), one element a consecutive second (0 where unobserved): covered I/Os and slow among them by
    estimate; summed time minus threshold x I/Os of either direction, in µs (positive: a mean over T); lost time.
    Holds when over the last 60 of them at least half of the covered I/O was slow with a mean over T, or 30 s were
    lost. Ten slow ones at least, as for the burn rates: half of two I/Os is no reason to wake anybody.
    """

    def last_minute(values: Ints) -> Ints:
        total = np.concatenate((np.zeros(1, np.int64), np.cumsum(values)))
        ends = np.arange(1, len(values) + 1)
        return np.asarray(total[ends] - total[np.maximum(ends - ACUTE_WINDOW_S, 0)], np.int64)

    slow_60 = last_minute(slow)
    over = (last_minute(read_over_us) > 0) | (last_minute(write_over_us) > 0)
    bad = (slow_60 * 2 >= last_minute(covered)) & (slow_60 >= MIN_SLOW) & over
    bad |= last_minute(lost_ms) >= ACUTE_LOST_MS
    found = np.flatnonzero(bad)
    return int(found[-1]) if len(found) else None
