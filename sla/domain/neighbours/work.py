"""How much does each disk ask of the shared storage, bytes and I/Os in one figure, and how much more than before?"""

from dataclasses import dataclass

import numpy as np

from sla.domain.neighbours.slots import Bools, Floats, PoolSlots

# How it was before: the calm slots of the hour before the window, at least so many of them.
BEFORE_S = 3_600
LEAST_BEFORE = 3


@dataclass(frozen=True, slots=True)
class Units:
    """What the pool serves in a usual slot: bytes and I/Os of all disks together."""

    size_bytes: float
    ios: float


def usual_units(slots: PoolSlots) -> Units:
    """Medians over the slots of a pool; 1 where nothing was asked."""
    if len(slots.starts) == 0:
        return Units(1.0, 1.0)
    size, ios = np.nansum(slots.size_bytes, axis=0), np.nansum(slots.ios, axis=0)
    return Units(max(float(np.median(size)), 1.0), max(float(np.median(ios)), 1.0))


def work(slots: PoolSlots, units: Units) -> Floats:
    """(D, S): share of the pool's usual bytes plus share of its usual I/Os, halved: all disks together usually make 1.

    Unknown is 0: a disk that nobody saw cannot be accused.
    """
    mixed = slots.size_bytes / units.size_bytes + slots.ios / units.ios
    return np.nan_to_num(mixed / 2)


@dataclass(frozen=True, slots=True)
class Scene:
    """A window among the slots around it. work: (D, S); heat: (S,) the pool's log slowdown, never below 0;
    inside, before: (S,) the slots of the window and the calm ones that it is compared with."""

    work: Floats
    heat: Floats
    inside: Bools
    before: Bools

    @property
    def usual(self) -> Floats:
        """Each disk's work before, (D,)."""
        result: Floats = np.median(self.work[:, self.before], axis=1)
        return result

    @property
    def during(self) -> Floats:
        """Each disk's work in the window, its slower slots counting more, (D,)."""
        weight = self.heat * self.inside
        weight = weight / weight.sum() if weight.sum() > 0 else self.inside / max(int(self.inside.sum()), 1)
        result: Floats = self.work @ weight
        return result


def scene(slots: PoolSlots, units: Units, left: Floats, hot: float, start: int, end: int) -> Scene:
    """The window [start, end) in these slots; `left` is the pool's signal over habit and drift, (S,)."""
    heat = np.maximum(np.nan_to_num(left), 0.0)
    inside = (slots.starts >= start) & (slots.starts < end)
    calm = (heat < hot) & (slots.starts < start)
    before = calm & (slots.starts >= start - BEFORE_S)
    if before.sum() < LEAST_BEFORE:
        before = np.zeros_like(calm)
        before[np.flatnonzero(calm)[-2 * LEAST_BEFORE :]] = True
    if not before.any():
        before = ~inside if (~inside).any() else inside
    return Scene(work(slots, units), heat, inside, before)
