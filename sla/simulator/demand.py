"""What would every tenant ask for, if answers cost no time? Days, weeks, rests, jitter and the events' own loads."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from sla.simulator import noise
from sla.simulator.noise import Floats, Ints
from sla.simulator.world import DAY_S, HOUR_S, Pool, Tenant

QUARTER_S, MINUTE_S = 900, 60
REST_S = 2_400  # rests last about so long
DAILY_SD = 0.08  # no two days are alike
WITHIN_MINUTE_SD = 0.25  # how unlike the seconds of a minute are
THURSDAY = 4  # the first of January 1970, Sunday being 0
TINY = 1e-6  # I/Os a second of who asks for nothing


@dataclass(slots=True)
class Load:
    """Of the disks of one pool, (D, T) each: rate asked for, bytes of a request, share that passes the cache."""

    rate: Floats
    block: Floats
    hit: Floats  # of the reads
    threads: Floats

    def cut(self, columns: slice) -> Load:
        """Some steps; a copy."""
        return Load(*(getattr(self, name)[:, columns].copy() for name in ("rate", "block", "hit", "threads")))

    def put(self, columns: slice, other: Load) -> None:
        """Replace some steps."""
        for name in ("rate", "block", "hit", "threads"):
            getattr(self, name)[:, columns] = getattr(other, name)


def rhythm(tenant: Tenant, times: Ints) -> Floats:
    """The expected share of its busiest hour's load at each moment."""
    hour = (times % DAY_S) / HOUR_S
    wave = (0.5 + 0.5 * np.cos((hour - tenant.peak_hour) * (2 * np.pi / 24))) ** 1.5
    weekday = (times // DAY_S + THURSDAY) % 7
    return np.asarray((1 - tenant.day + tenant.day * wave) * np.where(weekday % 6 == 0, tenant.weekend, 1.0))


def offered(pool: Pool, index: int, seed: int, times: Ints, step_s: int) -> Load:
    """The load of a pool's own tenants at these moments, no event at work."""
    tenants = pool.tenants
    count = len(tenants)
    jitter = column([tenant.jitter for tenant in tenants])
    moved = jitter * noise.slow(seed, noise.LOAD, index, count, times, QUARTER_S)
    moved += 0.4 * jitter * noise.held(seed, noise.LOAD_FAST, index, count, times, MINUTE_S)
    moved += DAILY_SD * noise.held(seed, noise.DAILY, index, count, times, DAY_S)
    if step_s < MINUTE_S:
        moved += WITHIN_MINUTE_SD * noise.white(seed, noise.LOAD_FAST, index, count, times, step_s)
        moved -= 0.5 * WITHIN_MINUTE_SD**2
    rate = np.exp(moved - 0.58 * jitter**2) * np.stack([rhythm(tenant, times) * tenant.iops for tenant in tenants])
    if any(tenant.rest for tenant in tenants):
        rate *= _awake(tenants, seed, index, times)
    block = column([tenant.block_bytes for tenant in tenants]) * np.exp(
        0.1 * noise.slow(seed, noise.SIZE, index, count, times, QUARTER_S)
    )
    asked = np.einsum("dt,dt->t", rate, block)
    kept = np.minimum(1.0, pool.cache_bps / np.maximum(asked, 1.0))
    return Load(
        rate=np.maximum(rate, TINY),
        block=block,
        hit=column([tenant.hit for tenant in tenants]) * kept,
        threads=np.broadcast_to(column([tenant.threads for tenant in tenants]), rate.shape),
    )


def _awake(tenants: tuple[Tenant, ...], seed: int, index: int, times: Ints) -> Floats:
    """1 where a tenant does something, 0 where it rests."""
    level = noise.slow(seed, noise.REST, index, len(tenants), times, REST_S)
    normal = NormalDist()
    least = [-np.inf if not one.rest else np.inf if one.rest >= 1 else normal.inv_cdf(one.rest) for one in tenants]
    return np.asarray((level > column(least)).astype(np.float64))


def column(values: list[float] | list[int]) -> Floats:
    """One value a disk, to stand beside (D, T)."""
    return np.array(values, np.float64)[:, None]
