"""What was each second? One word of semantics §4 for every step, from its labels."""

from dataclasses import dataclass

import numpy as np

from sla.domain.evidence import COUNTED, UNKNOWN, Bools, Evidence, Ints, known
from sla.domain.states import Case


@dataclass(frozen=True, slots=True)
class Steps:
    """Per frame and step, all (F, W): counts are 0 where unobserved. `in_flight` is UNKNOWN where nobody read it."""

    observed: Bools
    ios: Ints
    covered: Ints
    excess_low: Ints
    excess_high: Ints
    slow_low: Ints
    slow: Ints
    slow_high: Ints
    lost_ms: Ints
    in_flight: Ints
    case: Ints


def steps_of(evidence: Evidence) -> Steps:
    """Labels as counts and words. A step without labels (no contract) counts as excess as a whole."""
    column = evidence.columns
    inside = np.arange(column["read_ios"].shape[1]) < evidence.n[:, None]
    observed = np.logical_and.reduce([column[name] != UNKNOWN for name in COUNTED]) & inside

    def count(*names: str) -> Ints:
        return np.where(observed, sum(known(column[name]) for name in names), 0)

    ios = count("read_ios", "write_ios")
    labelled = observed & evidence.labelled[:, None] & (column["covered_est"] != UNKNOWN)
    covered = np.where(labelled, np.clip(column["covered_est"], 0, ios), 0)
    # Arrivals nobody labelled may all have been excess, and any of the completions slow.
    excess_high = np.where(labelled, count("excess_hi"), ios)
    slow_high = np.where(labelled, count("read_hi", "write_hi"), 0)
    steps = Steps(
        observed=observed,
        ios=ios,
        covered=covered,
        excess_low=np.where(labelled, count("excess_lo"), 0),
        excess_high=excess_high,
        slow_low=np.where(labelled, count("read_lo", "write_lo"), 0),
        slow=np.where(labelled, count("read_est", "write_est"), 0),
        slow_high=slow_high,
        lost_ms=np.where(labelled, count("lost_ms"), 0),
        in_flight=np.where(observed, column["in_flight"], UNKNOWN),
        case=np.zeros_like(ios),
    )
    steps.case[:] = cases(steps)
    return steps


def cases(steps: Steps) -> Ints:
    """Case values (F, W), first that fits: unknown, idle, stalled, under-delivery, normal, excused, pro rata."""
    nothing = steps.ios == 0
    waiting = known(steps.in_flight) > 0
    return np.select(
        [
            ~steps.observed,
            nothing & ~waiting & (steps.lost_ms == 0),
            nothing & (steps.lost_ms > 0),
            steps.lost_ms > 0,
            steps.covered == steps.ios,
            steps.covered == 0,
        ],
        [Case.UNKNOWN, Case.IDLE, Case.STALLED, Case.UNDER_DELIVERY, Case.NORMAL, Case.EXCUSED],
        Case.PRO_RATA,
    ).astype(np.int64)
