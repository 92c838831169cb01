"""Which disks share storage, where nobody says so? Those whose residuals go up and down together."""

import numpy as np

from sla.domain.neighbours.baseline import fit_baseline
from sla.domain.neighbours.slots import Bools, Floats, PoolSlots

# Residuals further out count as this: one storm must not decide, and without storms there is nothing to see.
MOST_DEVIATIONS = 4.0
# Disks that share nothing correlate by chance about 1/sqrt(slots): so many times that, and this at least.
CHANCES, LEAST_TOGETHER = 5.0, 0.25
MIN_SLOTS = 60
LEAST_GROUP = 3


def together(slots: PoolSlots) -> Floats:
    """Correlation of the residuals of D disks, (D, D); 0 where unknown. Each against its own past and load."""
    every = np.ones(len(slots.starts), np.bool_)
    baseline = fit_baseline(slots, every)
    apart = baseline.residuals(slots) / baseline.scale[:, None]
    known = np.isfinite(apart)
    clipped = np.where(known, np.clip(apart, -MOST_DEVIATIONS, MOST_DEVIATIONS), 0.0)
    mean = clipped.sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    centred = np.where(known, clipped - mean[:, None], 0.0)
    both = known.astype(np.float64) @ known.astype(np.float64).T
    squares = (centred**2) @ known.T.astype(np.float64)
    size = np.sqrt(squares * squares.T)
    result: Floats = np.divide(
        centred @ centred.T, size, out=np.zeros_like(size), where=(size > 0) & (both >= MIN_SLOTS)
    )
    return result


def groups(slots: PoolSlots) -> list[list[int]]:
    """Places of the disks that move together, largest group first; disks that move alone are in none.

    Average linkage: two groups join while their disks correlate enough on average, so that one chance friend does not
    chain two pools together.
    """
    likeness = together(slots)
    np.fill_diagonal(likeness, 0.0)
    enough = max(LEAST_TOGETHER, CHANCES / np.sqrt(max(len(slots.starts), 1)))
    members = [[disk] for disk in range(slots.disks)]
    alive: Bools = np.ones(slots.disks, np.bool_)
    mean = np.where(np.eye(slots.disks, dtype=np.bool_), -np.inf, likeness)
    while alive.sum() > 1:
        one, other = np.unravel_index(int(np.argmax(mean)), mean.shape)
        if mean[one, other] < enough:
            break
        here, there = len(members[one]), len(members[other])
        mixed = (here * mean[one] + there * mean[other]) / (here + there)
        mean[one], mean[:, one] = mixed, mixed
        mean[one, one] = -np.inf
        mean[other], mean[:, other] = -np.inf, -np.inf
        members[one] += members[other]
        members[other], alive[other] = [], False
    found = [sorted(group) for group in members if len(group) >= LEAST_GROUP]
    return sorted(found, key=lambda group: (-len(group), group))
