"""Which of ten thousand disks kept their promise? `judge_period` for many disks at once, equal to it by test."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sla.domain.contract import EXCUSED_BELOW_PPM, PPM
from sla.domain.evidence import Bools, Ints
from sla.domain.states import State
from sla.domain.verdict import AT_RISK_LEFT

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Fleet:
    """One period of N disks as columns of shape (N,): sums and what each is judged by. One contract version a disk."""

    slow_ppm: Ints
    min_coverage_ppm: Ints
    min_eligible: Ints
    by_slots: Bools
    coverage_ppm: Ints
    observed_s: Ints
    ios: Ints
    eligible_low: Ints
    eligible: Ints
    eligible_high: Ints
    slow_low: Ints
    slow: Ints
    slow_high: Ints
    lost_ms: Ints
    slots_met: Ints
    slots_met_proved: Ints
    slots_breached: Ints
    slots_breached_proved: Ints


@dataclass(frozen=True, slots=True)
class Verdicts:
    """(N,): State values, proof, and the SLI's ends as ratios, NaN where unknown."""

    state: Ints
    proved: Bools
    sli_low: Floats
    sli: Floats
    sli_high: Floats


def judge_fleet(f: Fleet, *, closed: bool, burning: Bools | None = None) -> Verdicts:
    """The verdict on each disk's period (semantics §5). `burning`: a rule of §6 holds."""
    lost = f.lost_ms * PPM > f.slow_ppm * f.observed_s * 1000
    slots = f.slots_met + f.slots_breached

    def over(spent: Ints, total: Ints) -> Bools:
        return np.asarray(spent * PPM > f.slow_ppm * total, bool)

    def either(by_slots: Bools, by_requests: Bools) -> Bools:
        return np.where(f.by_slots, by_slots, by_requests)

    breached = either(over(f.slots_breached, slots), over(f.slow, f.eligible)) | lost
    proof_breached = either(over(f.slots_breached_proved, slots), over(f.slow_low, f.eligible_high)) | lost
    proof_met = ~(either(over(slots - f.slots_met_proved, slots), over(f.slow_high, f.eligible_low)) | lost)
    unseen = f.coverage_ppm < f.min_coverage_ppm
    if closed:
        unseen |= (f.eligible < f.min_eligible) & (f.ios > 0)
    excused = (f.ios > 0) & (f.eligible * PPM < EXCUSED_BELOW_PPM * f.ios)
    at_risk = np.zeros(len(f.ios), bool)
    if not closed:
        at_risk = either(_little(f, f.slots_breached, slots), _little(f, f.slow, f.eligible))
        at_risk |= _little(f, f.lost_ms, f.observed_s * 1000)
        if burning is not None:
            at_risk |= burning
    state = np.select(
        [breached, unseen, excused, f.ios == 0, at_risk],
        [State.BREACHED, State.NO_DATA, State.EXCUSED, State.IDLE, State.AT_RISK],
        State.MET,
    ).astype(np.int64)
    proved = np.select(
        [state == State.BREACHED, state == State.EXCUSED, np.isin(state, (State.MET, State.AT_RISK))],
        [proof_breached, f.eligible_high * PPM < EXCUSED_BELOW_PPM * f.ios, proof_met],
        True,
    ).astype(bool)
    return Verdicts(
        state, proved, _good(f.slow_high, f.eligible_low), _good(f.slow, f.eligible), _good(f.slow_low, f.eligible_high)
    )


def _little(f: Fleet, spent: Ints, total: Ints) -> Bools:
    whole = f.slow_ppm * total
    few: Bools = AT_RISK_LEFT.denominator * (whole - spent * PPM) < AT_RISK_LEFT.numerator * whole
    return few


def _good(slow: Ints, eligible: Ints) -> Floats:
    ratio = np.full(len(slow), np.nan)
    np.divide(np.minimum(slow, eligible), eligible, out=ratio, where=eligible > 0)
    return np.asarray(1 - ratio, np.float64)
