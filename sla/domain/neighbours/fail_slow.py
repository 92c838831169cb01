"""Which disks are slow by themselves for their load, all the time? Each against its peers at the same load and moment.

As PERSEUS (Lu et al., FAST 2023): latency is regressed on throughput over the peers, and a disk that stays beyond what
its peers reach is fail-slow. Here by medians, which a few slow disks among the peers cannot bend.
"""

from dataclasses import dataclass
from math import log

import numpy as np

from sla.domain.neighbours.curve import BINS
from sla.domain.neighbours.slots import Floats, PoolSlots

# A day is too long to miss a disk that began to fail yesterday, an hour too short to call it persistent.
BLOCKS = 12
# In so much of the record it must be beyond its peers.
PERSISTENT = 0.4
# Peers that agree better than this are taken to differ by so much all the same: a fraction of the effect gate.
LEAST_SPREAD = 0.08
# Fail-slow: a fifth slower than its peers, and further out than peers of such a pool are.
LEAST = log(1.2)
DEVIATIONS = 2.5
MIN_PEERS = 4
# Disks of one kind lie so close (logarithm), and there are so many of them.
NEAR = 0.1
LEAST_KIND, KIND_SHARE = 5, 0.05
# Only where most disks are of some kind.
MOST_IN_KINDS = 0.7


@dataclass(frozen=True, slots=True)
class FailSlow:
    """(D,) each: how many times slower than peers at the same load, most of the time (NaN unknown); and that in
    deviations of the pool, which ranks disks of different pools."""

    slowdown: Floats
    score: Floats

    @property
    def failing(self) -> Floats:
        """1.0 for the disks that are called fail-slow."""
        sure = (self.slowdown >= np.exp(LEAST)) & (self.score >= DEVIATIONS)
        return np.where(np.isnan(self.score), 0.0, sure.astype(np.float64))


def fail_slow(slots: PoolSlots) -> FailSlow:
    """Of D peers over S slots."""
    latency = slots.log_latency()
    size, ios = slots.log_loads()
    rest = latency - _common(size, latency)
    rest = rest - _common(ios, rest)
    known = np.isfinite(rest)
    peers = int(known.any(axis=1).sum())
    enough = known.sum(axis=0) >= max(min(MIN_PEERS, peers), 2)
    if not enough.any():
        nothing = np.full(slots.disks, np.nan)
        return FailSlow(nothing, nothing)
    rest, columns = rest[:, enough], int(enough.sum())
    apart = rest - np.nanmedian(rest, axis=0)
    blocks = [_median(apart[:, part]) for part in np.array_split(np.arange(columns), min(BLOCKS, columns))]
    far = _persistent(np.column_stack(blocks))
    seen = np.isfinite(far)
    if not seen.any():
        return FailSlow(far, far)
    middle, spread = _kind(far[seen])
    score = np.full(slots.disks, np.nan)
    over = far.copy()
    over[seen] -= middle
    score[seen] = over[seen] / spread
    return FailSlow(np.exp(over), score)


def _kind(far: Floats) -> tuple[Floats, Floats]:
    """What each disk is compared with: middle and spread of its kind, (D,) each.

    A pool may hold several models of disk. Where many disks lie closely together is a kind; a disk belongs to the
    slowest kind that is not slower than itself, so that the few beyond a kind stand out and a kind does not.
    """
    order = np.sort(far)
    near = np.searchsorted(order, order + NEAR, side="right") - np.searchsorted(order, order - NEAR)
    core = order[near >= max(LEAST_KIND, KIND_SHARE * len(order))]
    if len(core) < MOST_IN_KINDS * len(order):
        core = order[:0]  # no two alike: one kind, as wide as it is
    kinds = np.split(core, np.flatnonzero(np.diff(core) > NEAR) + 1) if len(core) else [order]
    begins = np.array([kind[0] for kind in kinds])
    mine = np.maximum(np.searchsorted(begins, far, side="right") - 1, 0)
    middles = np.array([np.median(kind) for kind in kinds])
    spreads = np.array([1.4826 * np.median(np.abs(kind - np.median(kind))) for kind in kinds])
    return middles[mine], np.maximum(spreads[mine], LEAST_SPREAD)


def _common(load: Floats, values: Floats) -> Floats:
    """What the load explains over all disks alike, (D, S): the median of each quantile bin, straight between them."""
    both = np.isfinite(load) & np.isfinite(values)
    if both.sum() < BINS:
        return np.zeros_like(values)
    edges = np.unique(np.quantile(load[both], np.linspace(0, 1, BINS + 1)))
    if len(edges) < 2:
        return np.full_like(values, float(np.median(values[both])))
    place = np.clip(np.searchsorted(edges, load[both], side="right") - 1, 0, len(edges) - 2)
    used = np.unique(place)
    at = np.array([np.median(load[both][place == one]) for one in used])
    level = np.array([np.median(values[both][place == one]) for one in used])
    result: Floats = np.interp(np.where(both, load, at[0]), at, level)
    return result


def _median(rows: Floats) -> Floats:
    """Of each row; NaN where nothing is known."""
    known = np.isfinite(rows).any(axis=1)
    result = np.full(len(rows), np.nan)
    if known.any():
        result[known] = np.nanmedian(rows[known], axis=1)
    return result


def _persistent(blocks: Floats) -> Floats:
    """What a disk's blocks reach in PERSISTENT of them, (D,) from (D, B)."""
    known = np.isfinite(blocks).any(axis=1)
    result = np.full(len(blocks), np.nan)
    if known.any():
        result[known] = np.nanquantile(blocks[known], 1 - PERSISTENT, axis=1)
    return result
