"""Do the estimate's settings hold on loads they were not chosen on?

A few candidates around the product's settings; the best on one half of the scenarios is reported on the other half,
and the reverse.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log

from bench.accuracy_run import Outcome
from plimsoll_agent.core import estimate, mixture

# (spread up to which a run is one bell, share of the spread that is the latencies' own, rise that is a busy time,
# how readily slow I/Os come together)
CANDIDATES = (
    (estimate.ALIKE, estimate.OWN_SPREAD, estimate.RISEN, mixture.TOGETHER),
    (0.6, 0.35, 5.0, log(0.5)),
    (1.2, 0.35, 3.0, log(0.5)),
    (1.2, 0.7, 5.0, log(0.5)),
    (1.2, 0.35, 5.0, log(0.2)),
)
PRODUCT = CANDIDATES[0]
# Error and wrong verdicts are weighed by what the goals allow of each: 1.2 % of the I/Os, 3 % of the verdicts.
WRONG_COSTS = 0.012 / 0.03


def use(candidate: tuple[float, float, float, float]) -> None:
    """Let the estimate work with these settings, in this process."""
    estimate.ALIKE, estimate.OWN_SPREAD, estimate.RISEN, mixture.TOGETHER = candidate


def halves(scenarios: list[str]) -> tuple[set[str], set[str]]:
    """Every second scenario in order of name: both halves hold light, mixed and heavy loads."""
    names = sorted(set(scenarios))
    return set(names[::2]), set(names[1::2])


def held_out(
    results: list[list[Outcome]],
    scenario_of: Callable[[str], str],
    error: Callable[[list[Outcome]], float],
    right: Callable[[list[Outcome]], float],
) -> list[dict[str, object]]:
    """For each half: the best candidate on it, and what that one does on the other half.

    results: for each candidate the outcomes of all runs.
    """
    one, other = halves([scenario_of(outcome.run) for outcome in results[0]])
    report: list[dict[str, object]] = []
    for fit, rest in ((one, other), (other, one)):
        known = [[o for o in outcomes if scenario_of(o.run) in fit] for outcomes in results]
        errors = [error(outcomes) for outcomes in known]
        costs = [one + WRONG_COSTS * (1 - right(outcomes)) for one, outcomes in zip(errors, known, strict=True)]
        best = costs.index(min(costs))
        unseen = [o for o in results[best] if scenario_of(o.run) in rest]
        report.append(
            {
                "fitted_on": sorted(fit),
                "candidate": best,
                "fit_error_ratio": round(errors[best], 5),
                "held_out_error_ratio": round(error(unseen), 5),
                "held_out_right_ratio": round(right(unseen), 4),
            }
        )
    return report
