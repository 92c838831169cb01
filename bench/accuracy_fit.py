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
# Of each cadence, in ms: the error that its goal allows, as a share of the I/Os; and of wrong verdicts.
ALLOWED_ERROR = {10: 0.007, 20: 0.012}
ALLOWED_WRONG = 0.03


def use(candidate: tuple[float, float, float, float]) -> None:
    """Let the estimate work with these settings, in this process."""
    estimate.ALIKE, estimate.OWN_SPREAD, estimate.RISEN, mixture.TOGETHER = candidate


def halves(scenarios: list[str]) -> tuple[set[str], set[str]]:
    """Every second scenario in order of name: both halves hold light, mixed and heavy loads."""
    names = sorted(set(scenarios))
    return set(names[::2]), set(names[1::2])


def held_out(
    results: dict[int, list[list[Outcome]]],
    scenario_of: Callable[[str], str],
    error: Callable[[list[Outcome]], float],
    right: Callable[[list[Outcome]], float],
) -> list[dict[str, object]]:
    """For each half: the best candidate on it, and what that one does on the other half.

    results: of each cadence (ms), for each candidate, the outcomes of all runs. The agent climbs between cadences with
    the same settings, so they are chosen for all cadences together, each weighed by what its goal allows.
    """
    one, other = halves([scenario_of(outcome.run) for many in results.values() for outcome in many[0]])
    report: list[dict[str, object]] = []
    for fit, rest in ((one, other), (other, one)):

        def among(scenarios: set[str], outcomes: list[Outcome]) -> list[Outcome]:
            return [o for o in outcomes if scenario_of(o.run) in scenarios]

        costs = [0.0] * len(CANDIDATES)
        for cadence, candidates in results.items():
            for place, outcomes in enumerate(candidates):
                known = among(fit, outcomes)
                costs[place] += error(known) / ALLOWED_ERROR[cadence] + (1 - right(known)) / ALLOWED_WRONG
        best = costs.index(min(costs))
        unseen = {str(cadence): among(rest, candidates[best]) for cadence, candidates in results.items()}
        report.append(
            {
                "fitted_on": sorted(fit),
                "candidate": best,
                "held_out_error_ratio": {cadence: round(error(many), 5) for cadence, many in unseen.items()},
                "held_out_right_ratio": {cadence: round(right(many), 4) for cadence, many in unseen.items()},
            }
        )
    return report
