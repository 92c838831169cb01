"""How does a disk's usual latency depend on one kind of load? A line through the medians of quantile bins, per disk."""

from dataclasses import dataclass

import numpy as np

from sla.domain.neighbours.slots import Floats

BINS = 8
# A bin's own median weighs as much as the pool's common shape where it holds so many slots: below that a median of
# noisy minutes is worse than what the neighbours on the same storage show.
SHRINK_SLOTS = 15.0


@dataclass(frozen=True, slots=True)
class Curves:
    """For D disks: where on the load axis each bin's median lies, and what it adds to the log latency, (D, BINS)."""

    at: Floats
    adds: Floats


def fit_curves(load: Floats, latency: Floats) -> Curves:
    """From (D, S) loads and log latencies whose level has been taken off already; NaN is left out."""
    both = np.where(np.isfinite(latency), load, np.nan)
    disks = load.shape[0]
    at, own, count = (np.full((disks, BINS), np.nan) for _ in range(3))
    order = np.argsort(both, axis=1)  # NaN last
    known = np.isfinite(both).sum(axis=1)
    for disk in range(disks):
        places = order[disk, : known[disk]]
        for bin_, part in enumerate(np.array_split(places, BINS)):
            count[disk, bin_] = len(part)
            if len(part):
                at[disk, bin_] = np.median(both[disk, part])
                own[disk, bin_] = np.median(latency[disk, part])
    shape = _common_shape(own)
    weight = count / (count + SHRINK_SLOTS)
    adds = np.where(np.isfinite(own), weight * np.nan_to_num(own) + (1 - weight) * shape, shape)
    at = _rising(at)
    return Curves(at, _one_for_a_load(at, adds))


def _common_shape(own: Floats) -> Floats:
    """The median disk's curve by quantile of its own load, (BINS,): what stands in for history that is missing."""
    if not np.isfinite(own).any():
        return np.zeros(BINS)
    columns = [column[np.isfinite(column)] for column in own.T]
    return np.array([float(np.median(column)) if len(column) else 0.0 for column in columns])


def _one_for_a_load(at: Floats, adds: Floats) -> Floats:
    """Bins at the same load are one bin; a load that never changes explains nothing."""
    merged = adds.copy()
    for disk in np.flatnonzero((at[:, 1:] == at[:, :-1]).any(axis=1)):
        values = at[disk][np.isfinite(at[disk])]
        if len(set(values.tolist())) <= 1:
            merged[disk] = 0.0
            continue
        for value in set(values.tolist()):
            same = at[disk] == value
            merged[disk, same] = adds[disk, same].mean()
    return merged


def _rising(at: Floats) -> Floats:
    """Positions that never fall; what is unknown lies beyond every load and is never reached."""
    return np.maximum.accumulate(np.where(np.isfinite(at), at, np.inf), axis=1)


def read_curves(curves: Curves, load: Floats) -> Floats:
    """What the load adds, (D, S) from (D, S): linear between bins, level beyond the outer ones, NaN for NaN."""
    at, adds = curves.at, curves.adds
    value = np.broadcast_to(adds[:, :1], load.shape).copy()
    for left in range(BINS - 1):
        low, high = at[:, left : left + 1], at[:, left + 1 : left + 2]
        low = np.where(np.isfinite(low), low, 0.0)
        width = np.where(high > low, high - low, np.inf)
        share = np.clip((load - low) / width, 0.0, 1.0)
        value += share * (adds[:, left + 1 : left + 2] - adds[:, left : left + 1])
    return np.where(np.isfinite(load), value, np.nan)
