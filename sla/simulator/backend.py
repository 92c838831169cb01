"""How fast is everybody answered at each step, by expectation? Own path, throttle and the shared back end together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sla.simulator.demand import Load, column
from sla.simulator.law import balance, rates
from sla.simulator.noise import Floats
from sla.simulator.world import Pool, Tenant

NEAR = 0.97  # of its throttle: where a disk's own short bursts begin to wait
SMALLEST = 4_096


@dataclass(slots=True)
class Served:
    """(D, T) each, expectations: I/Os a second, ms of a read, of a write; (T,): its back end's part, how busy."""

    rate: Floats
    read_ms: Floats
    write_ms: Floats
    wait: Floats
    rho: Floats

    def mean_ms(self, read_ratio: Floats) -> Floats:
        """Of any I/O."""
        return np.asarray(read_ratio * self.read_ms + (1 - read_ratio) * self.write_ms)


@dataclass(slots=True)
class Disks:
    """What does not change, one value a disk as a column (D, 1)."""

    read_ratio: Floats
    own_ms: Floats
    cap_iops: Floats
    cap_bps: Floats
    retry: Floats
    retry_ms: Floats


def disks_of(tenants: Sequence[Tenant]) -> Disks:
    """The columns of these tenants; no throttle is an infinite one."""
    return Disks(
        read_ratio=column([tenant.read_ratio for tenant in tenants]),
        own_ms=column([tenant.own_ms for tenant in tenants]),
        cap_iops=column([tenant.cap_iops or np.inf for tenant in tenants]),
        cap_bps=column([tenant.cap_bps or np.inf for tenant in tenants]),
        retry=column([tenant.retry for tenant in tenants]),
        retry_ms=column([tenant.retry_ms for tenant in tenants]),
    )


def cost(pool: Pool, load: Load, disks: Disks) -> tuple[Floats, Floats]:
    """(share of I/Os that pass the cache, what one I/O is worth to the back end in smallest ones), (D, T)."""
    share = 1.0 - disks.read_ratio * load.hit
    return share, share * (1.0 + np.maximum(load.block - SMALLEST, 0.0) / pool.ref_bytes)


def serve(pool: Pool, load: Load, disks: Disks, service_ms: Floats, own_factor: Floats | float = 1.0) -> Served:
    """What comes of the load. service_ms (T,): the back end's, faults included; own_factor (D, T): of own paths."""
    share, worth = cost(pool, load, disks)
    own = disks.own_ms * own_factor * np.ones_like(load.rate)
    cap = np.minimum(disks.cap_iops, disks.cap_bps / load.block)
    gap = 1000.0 / load.rate
    served, wait, rho = balance(gap, own, share, load.threads, cap, worth, service_ms, pool.servers, pool.burstiness)
    if disks.retry.any():
        slow_ms = own + share * wait
        slow_ms[:, 1:] = slow_ms[:, :-1]  # who waited long in the step before asks again in this one
        excess = np.clip(slow_ms / disks.retry_ms - 1.0, 0.0, 1.0)
        gap = gap / (1.0 + disks.retry * excess)
        served, wait, rho = balance(
            gap, own, share, load.threads, cap, worth, service_ms, pool.servers, pool.burstiness
        )
    free = rates(wait, gap, own, share, load.threads, np.asarray(np.inf))
    # What holds a request back before it counts as served: its own throttle, or a back end that is full.
    held = np.where(served < free, load.threads * (1000.0 / served - 1000.0 / free), 0.0)
    near = np.minimum(served / cap, 0.99)
    held += np.where(near > NEAR / 2, 0.2 * 1000.0 / np.minimum(cap, 1e9) * near**8 / (1.0 - near), 0.0)
    return Served(
        rate=served,
        read_ms=own + (1.0 - load.hit) * wait + held,
        write_ms=own + wait + held,
        wait=wait,
        rho=rho,
    )
