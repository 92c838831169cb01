"""How slow is each disk usually at this load, by its own past? Median log latency over its own bytes/s and I/Os/s."""

from dataclasses import dataclass

import numpy as np

from sla.domain.neighbours.curve import Curves, fit_curves, read_curves
from sla.domain.neighbours.slots import Bools, Floats, Ints, PoolSlots

# Below these many known slots a disk has no past to speak of.
MIN_SLOTS = 12
# 1.4826 x MAD is the standard deviation of normal noise.
TO_SD = 1.4826
# No disk is so regular that 2 % more says anything; and one with little history is given its pool's noise.
LEAST_SCALE = 0.02
SHRINK_SLOTS = 30.0


@dataclass(frozen=True, slots=True)
class Baseline:
    """Of D disks: level (D,), curves over both loads, scale of the residuals (D,), slots known (D,).

    level is NaN for a disk without a past.
    """

    level: Floats
    by_bytes: Curves
    by_ios: Curves
    scale: Floats
    known: Floats

    def of(self, places: Ints) -> "Baseline":
        """The same for these disks, by place; -1 is a disk without a past."""
        new = places < 0
        return Baseline(
            np.where(new, np.nan, self.level[places]),
            Curves(self.by_bytes.at[places], self.by_bytes.adds[places]),
            Curves(self.by_ios.at[places], self.by_ios.adds[places]),
            self.scale[places],
            np.where(new, 0.0, self.known[places]),
        )

    def expected(self, slots: PoolSlots) -> Floats:
        """Expected log latency, (D, S)."""
        size, ios = slots.log_loads()
        return self.level[:, None] + read_curves(self.by_bytes, size) + read_curves(self.by_ios, ios)

    def residuals(self, slots: PoolSlots) -> Floats:
        """How much slower than its own past at this load, as a logarithm, (D, S); NaN where unknown."""
        return slots.log_latency() - self.expected(slots)


def fit_baseline(slots: PoolSlots, usable: Bools) -> Baseline:
    """From the slots of the past that are usable, (S,): those not flagged as slow."""
    past = slots.of(usable)
    latency = past.log_latency()
    known = np.isfinite(latency).sum(axis=1).astype(np.float64)
    level = np.full(slots.disks, np.nan)
    enough = known >= MIN_SLOTS
    if enough.any():
        level[enough] = np.nanmedian(latency[enough], axis=1)
    size, ios = past.log_loads()
    rest = latency - level[:, None]
    by_bytes = fit_curves(size, rest)
    by_ios = fit_curves(ios, rest - read_curves(by_bytes, size))
    # What is left after the second load is asked of the first one again: the two go up and down together.
    by_bytes = fit_curves(size, rest - read_curves(by_ios, ios))
    left = rest - read_curves(by_bytes, size) - read_curves(by_ios, ios)
    return Baseline(level, by_bytes, by_ios, _scale(left, known), known)


def _scale(left: Floats, known: Floats) -> Floats:
    """Standard deviation of each disk's residuals by their MAD, (D,)."""
    own = np.full(left.shape[0], np.nan)
    some = known >= MIN_SLOTS
    if some.any():
        own[some] = TO_SD * np.nanmedian(np.abs(left[some]), axis=1)
    pool = float(np.median(own[some])) if some.any() else 1.0
    weight = known / (known + SHRINK_SLOTS)
    return np.maximum(np.where(some, weight * np.nan_to_num(own) + (1 - weight) * pool, pool), LEAST_SCALE)
