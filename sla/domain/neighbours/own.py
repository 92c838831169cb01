"""Is one disk slower than its past while its pool is not? Its residual over the pool's signal, for one disk alone."""

from math import log

import numpy as np

from sla.domain.neighbours.baseline import Baseline
from sla.domain.neighbours.calibrate import DAY_S, FALSE_A_DAY, order_statistic, rule_tail
from sla.domain.neighbours.cause import Cause, own_cause
from sla.domain.neighbours.rules import Rule, Thresholds
from sla.domain.neighbours.slots import Floats, PoolSlots
from sla.domain.neighbours.track import Span, track

# A fleet has a hundred times more disks than pools, and nobody beside it confirms what a disk alone says: half slower
# at the least, in four of five slots, and more than it ever does by itself.
LEAST = log(1.5)
RULE = Rule(4, 5, 5.0, log(8.0))
SELDOM_A_DAY = 2.0
# Slots before that must be known to go on.
LONGEST_OWN = RULE.among


def own_thresholds(values: Floats, baseline: Baseline, step_s: int) -> Floats:
    """(D,): from which log slowdown on a disk alone counts as slow, by its own past (D, S); infinite without."""
    levels = [_level(row, float(sd), step_s) for row, sd in zip(values, baseline.scale, strict=True)]
    return np.where(np.isfinite(baseline.level), np.array(levels), np.inf)


def _level(values: Floats, sd: float, step_s: int) -> float:
    """What stood out seldom was an event and no part of how the disk is; what does so every few hours is."""
    least = max(LEAST, RULE.deviations * sd)
    # The figure of five slots in a row reaches to either side of those that are far out.
    far = order_statistic(values, RULE.count, RULE.among) >= least
    events = int(np.count_nonzero(far[1:] & ~far[:-1]))
    if events <= max(1.0, SELDOM_A_DAY * len(values) * step_s / DAY_S):
        reach = np.convolve(far, np.ones(2 * RULE.among + 1), mode="same") > 0
        values = values[~reach]
    return max(least, min(rule_tail(values, RULE, step_s, FALSE_A_DAY / 10), RULE.most))


def apart(residuals: Floats, signal: Floats) -> Floats:
    """(D, S): how much slower than what slowed the whole pool."""
    return residuals - np.maximum(np.nan_to_num(signal), 0.0)


def own_rule(level: float) -> Thresholds:
    """How one disk's windows open and go on."""
    return Thresholds((RULE,), (level,), hot=0.6 * level)


def own_windows(slots: PoolSlots, values: Floats, level: float) -> list[Span]:
    """Of one disk, (S,): its windows."""
    if not np.isfinite(level) or np.count_nonzero(values >= level) < RULE.count:
        return []
    return list(track(slots.starts.tolist(), values.tolist(), slots.step_s, own_rule(level)))


def own_load(work: Floats, inside: slice) -> Cause:
    """Self or disk, from one disk's work (S,) and its window: did it ask for more than nearly ever before?"""
    during = float(np.median(work[inside]))
    rest = np.concatenate((work[: inside.start], work[inside.stop :]))
    if not len(rest):
        return Cause.DISK
    before = work[max(inside.start - 60, 0) : inside.start]
    usual = float(np.median(before if len(before) else rest))
    return own_cause(float(np.mean(rest <= during)), during / max(usual, 1e-9))
