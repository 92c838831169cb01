"""Which whole numbers would the kernel have counted? Expectations become counters, with chance and a heavy tail."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sla.simulator import noise
from sla.simulator.backend import Disks, Served
from sla.simulator.demand import Load
from sla.simulator.latency import CV, upper
from sla.simulator.noise import Floats, Ints
from sla.simulator.world import Pool

TEN_MINUTES_S, FIVE_MINUTES_S, MINUTE_S, DAY_S = 600, 300, 60, 86_400
SECTOR = 512

TAIL_SHARE = 0.002  # of a disk's minutes are slow for no reason
TAIL_POWER = 2.5
DRAWS = 6  # reads, writes, their times, in flight, size


@dataclass(slots=True)
class Noise:
    """Factors on the time of an I/O that no load explains: (T,) of the pool, (D, T) of its disks."""

    pool: Floats
    disk: Floats


def noise_of(pool: Pool, index: int, seed: int, times: Ints) -> Noise:
    """The noise of a pool and its own disks; the same at both grains."""
    count = len(pool.tenants)
    common = pool.noise * noise.slow(seed, noise.POOL, index, 1, times, TEN_MINUTES_S)[0]
    common += 0.4 * pool.noise * noise.held(seed, noise.POOL + 100, index, 1, times, MINUTE_S)[0]
    hiccup = _pareto(noise.held(seed, noise.HICCUPS, index, 1, times, MINUTE_S)[0], pool.tail * MINUTE_S / DAY_S)
    alone = pool.disk_noise * noise.slow(seed, noise.DISK, index, count, times, FIVE_MINUTES_S)
    alone += 0.6 * pool.disk_noise * noise.held(seed, noise.DISK + 100, index, count, times, MINUTE_S)
    tail = _pareto(noise.held(seed, noise.TAIL, index, count, times, MINUTE_S), TAIL_SHARE)
    return Noise(pool=np.exp(common) * hiccup, disk=np.exp(alone) * tail)


def _pareto(normal: Floats, share: float) -> Floats:
    """1 for most; for a `share` of the steps a factor over 1 with a power-law tail, at most 30."""
    from_top = upper(normal)
    factor = np.ones_like(normal)
    hit = from_top < share
    factor[hit] = np.minimum((from_top[hit] / max(share, 1e-12)) ** (-1.0 / TAIL_POWER) * 1.3, 30.0)
    return factor


def chance_of(index: int, seed: int, count: int, times: Ints, step_s: int) -> Floats:
    """What chance does to each step of the disks that began in a pool: DRAWS standard normals, (DRAWS, D, T)."""
    return np.stack([noise.white(seed, noise.COUNTS + 100 * k, index, count, times, step_s) for k in range(DRAWS)])


def counters(served: Served, load: Load, disks: Disks, rough: Floats, chance: Floats, step_s: int) -> dict[str, Ints]:
    """The trace's counters of a pool's disks. rough (D, T): noise on the time of an I/O; chance (DRAWS, D, T)."""
    reads, writes, read_n, write_n, level, size = chance
    mean = served.rate * step_s
    read_ios = _count(mean * disks.read_ratio, reads)
    write_ios = _count(mean * (1.0 - disks.read_ratio), writes)
    block = np.maximum(np.round(load.block / SECTOR * (1.0 + 0.02 * size)), 1.0)
    out = {"read_ios": read_ios, "write_ios": write_ios}
    out |= {
        f"{side}_bytes": (ios * block).astype(np.int64) * SECTOR
        for side, ios in (("read", read_ios), ("write", write_ios))
    }
    for side, ios, each, moved in (
        ("read", read_ios, served.read_ms, read_n),
        ("write", write_ios, served.write_ms, write_n),
    ):
        # The mean of n times with a spread: a gamma of that mean, by its cube root (Wilson and Hilferty).
        spread = CV / np.sqrt(np.maximum(ios, 1)) / 3.0
        around = np.maximum(1.0 - spread**2 + spread * moved, 0.05) ** 3
        out[f"{side}_ms"] = np.round(ios * each * rough * around).astype(np.int64)
    out["queue_ms"] = out["read_ms"] + out["write_ms"]
    waiting = out["queue_ms"] / (1000.0 * step_s)
    out["in_flight"] = _count(waiting, level)
    return out


def _count(mean: Floats, normal: Floats) -> Ints:
    """About Poisson of that mean; exact enough, and the same normal gives more where the mean is more."""
    small = np.floor(mean + 0.5 * (1.0 + np.tanh(0.8 * normal)))  # keeps the mean where it is below a few
    large = np.round(mean + np.sqrt(mean) * normal)
    return np.asarray(np.maximum(np.where(mean < 4.0, small, large), 0.0).astype(np.int64))
