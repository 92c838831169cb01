"""How much slower than its past is the pool as a whole? The weighted median of its disks' residuals."""

import numpy as np

from sla.domain.neighbours.slots import Floats

# One very regular disk may not decide alone: no disk weighs more than this many of the median one.
MOST_WEIGHT = 4.0
# A slot of so many I/Os counts half: the mean of few is noisy.
HALF_WEIGHT_IOS = 30.0


def weights(scale: Floats, ios: Floats) -> Floats:
    """What each disk's word counts in each slot, (D, S), from its noise (D,) and its I/Os (D, S)."""
    regular = 1 / scale
    regular = np.minimum(regular, MOST_WEIGHT * np.median(regular)) if len(regular) else regular
    counted = np.nan_to_num(ios)
    return regular[:, None] * counted / (counted + HALF_WEIGHT_IOS)


def pool_signal(residuals: Floats, weight: Floats) -> Floats:
    """(S,) from (D, S) each: half of the weight lies at or above, half at or below; NaN where no disk is known."""
    if residuals.shape[0] == 0:
        return np.full(residuals.shape[1], np.nan)
    known = np.isfinite(residuals)
    values = np.where(known, residuals, np.inf)
    order = np.argsort(values, axis=0)
    values = np.take_along_axis(values, order, axis=0)
    heavy = np.take_along_axis(np.where(known, np.maximum(weight, 1e-9), 0.0), order, axis=0)
    sums = heavy.cumsum(axis=0)
    half = sums[-1] / 2
    low = np.argmax(sums >= half * (1 - 1e-12), axis=0)
    high = np.argmax(sums > half * (1 + 1e-12), axis=0)
    column = np.arange(values.shape[1])
    with np.errstate(invalid="ignore"):
        middle = (values[low, column] + values[high, column]) / 2
    return np.where(known.any(axis=0) & np.isfinite(middle), middle, np.nan)
