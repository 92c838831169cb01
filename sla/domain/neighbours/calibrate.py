"""Which signal does this pool reach by itself? Thresholds from its own calm past, for so many false windows a day.

Each rule's figure (the k-th largest of the last m signals) has a tail of its own; beyond what was seen the tail goes on
as an exponential (peaks over threshold, Pickands 1975, with shape 0).
"""

from collections.abc import Sequence
from math import log

import numpy as np

from sla.domain.neighbours.rules import LEAST_SLOWDOWN, Rule, Thresholds, rules
from sla.domain.neighbours.slots import Floats

DAY_S = 86_400
# Windows a day that chance may open, all rules together; semantics.md allows 0.1, goals.md wants 0.02 measured.
FALSE_A_DAY = 0.01
# The tail begins where this share of the slots lies above.
TAIL = 0.02
# Without much past the pool is taken to be this noisy.
USUAL_SD, USUAL_SLOTS = 0.05, 60.0


def order_statistic(signal: Floats, count: int, among: int) -> Floats:
    """The count-th largest of the last `among` values at each slot, (S,); NaN counts as calm."""
    if among == 1:
        return signal
    padded = np.concatenate((np.full(among - 1, -np.inf), np.where(np.isfinite(signal), signal, -np.inf)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, among)
    result: Floats = np.partition(windows, among - count, axis=1)[:, among - count]
    return result


def noise(signal: Floats) -> float:
    """Standard deviation of the calm signal, by its MAD, drawn to the usual where the past is short."""
    known = signal[np.isfinite(signal)]
    if len(known) == 0:
        return USUAL_SD
    own = 1.4826 * float(np.median(np.abs(known - np.median(known))))
    weight = len(known) / (len(known) + USUAL_SLOTS)
    return weight * own + (1 - weight) * USUAL_SD


def calibrate(signal: Floats, step_s: int, false_a_day: float = FALSE_A_DAY) -> Thresholds:
    """From the calm past of a pool's signal (habit taken off), (S,)."""
    sd = noise(signal)
    chosen = rules(step_s)
    each = false_a_day / len(chosen)
    tails = [max(rule_tail(signal, rule, step_s, each), by_chance(signal, rule, step_s, each)) for rule in chosen]
    return thresholds_of(chosen, sd, tails)


def by_chance(signal: Floats, rule: Rule, step_s: int, a_day: float) -> float:
    """Above which single slots are so rare that two of them meet by chance no more often than `a_day`.

    A storage hiccups for a minute now and then; a week may hold no two of them side by side, and the next one does.
    """
    known = signal[np.isfinite(signal)]
    if rule.count != 2 or len(known) < 1 / TAIL:
        return 0.0
    share = (a_day * step_s / DAY_S / (rule.among - 1)) ** 0.5
    return float(np.quantile(known, 1 - share))


def thresholds_of(chosen: Sequence[Rule], sd: float, tails: Sequence[float] | None = None) -> Thresholds:
    """At least the effect gate, so many standard deviations, and the tail that was seen; of the tail no more than the
    rule's most, for it may hold events that nobody flagged. Noise is all day long: it holds none."""
    opens = [
        max(LEAST_SLOWDOWN, rule.deviations * sd, min(tail, rule.most))
        for rule, tail in zip(chosen, tails or [0.0] * len(chosen), strict=True)
    ]
    return Thresholds(tuple(chosen), tuple(opens), hot=max(0.6 * min(opens), LEAST_SLOWDOWN / 2))


def rule_tail(signal: Floats, rule: Rule, step_s: int, a_day: float) -> float:
    """What a rule's figure exceeds no more often than `a_day`, each excursion counted once; 0 without much past."""
    values = order_statistic(signal, rule.count, rule.among)
    known = values[np.isfinite(values)]
    if len(known) < 1 / TAIL:
        return 0.0
    begin = float(np.quantile(known, 1 - TAIL))
    above = known >= begin
    excursions = max(int(np.count_nonzero(above[1:] & ~above[:-1])), 1)
    # The mean of an exponential by its median: half of the tail may be events that nobody flagged.
    over = float(np.median(known[above] - begin)) / log(2) + 1e-6
    seen_a_day = excursions * DAY_S / (len(known) * step_s)
    return begin + over * max(0.0, log(seen_a_day / a_day))
