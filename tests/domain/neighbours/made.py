"""Pools made up for tests: quiet disks with loads of their own, and what is done to them."""

import numpy as np

from sla.domain.neighbours.slots import PoolSlots

START = 1_790_000_040


def pool(disks: int = 8, slots: int = 600, *, seed: int = 1, step_s: int = 60, noise: float = 0.08) -> PoolSlots:
    """Disks of 100 … 1,000 IOPS and 1 … 8 ms, loads wandering a little, each by itself."""
    rng = np.random.default_rng(seed)
    iops = rng.uniform(100, 1_000, disks)[:, None] * rng.lognormal(0, 0.2, (disks, slots))
    ios = np.round(iops * step_s)
    latency = rng.uniform(1, 8, disks)[:, None] * rng.lognormal(0, noise, (disks, slots))
    starts = START + step_s * np.arange(slots, dtype=np.int64)
    return PoolSlots(step_s, starts, ios, ios * 16_384.0, np.round(ios * latency))


def slowed(slots: PoolSlots, first: int, last: int, factor: float, culprit: int | None = None) -> PoolSlots:
    """Everything takes `factor` times as long in slots [first, last); a culprit asks for half the pool's load more."""
    ios, size, time = slots.ios.copy(), slots.size_bytes.copy(), slots.time_ms.copy()
    part = slice(first, last)
    if culprit is not None:
        more = ios[:, part].sum(axis=0).mean() / 2 / ios[culprit, part].mean() + 1
        ios[culprit, part] *= more
        size[culprit, part] *= more
        time[culprit, part] *= more
    time[:, part] *= factor
    return PoolSlots(slots.step_s, slots.starts, ios, size, time)
