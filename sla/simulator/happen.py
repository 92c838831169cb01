"""How strong must an event be to slow its pool by so much, and what does it change step by step?

An event's strength is found from the load of its own time, so that it is the same whatever span is simulated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sla.simulator.backend import Disks, cost, serve
from sla.simulator.demand import Load
from sla.simulator.law import rates, utilisation
from sla.simulator.noise import Floats, Ints
from sla.simulator.world import Event, Kind, Pool

ADDED = (Kind.BURST, Kind.RAMP, Kind.SPIKES, Kind.BACKUP)
SLOWED = (Kind.FAULT, Kind.MAINTENANCE, Kind.MIGRATION)
SPIKE_EVERY_S, SPIKE_S = 180, 60
EXTRA_HIT = 0.1  # what a culprit adds hardly finds its data in the cache
EXTRA_THREADS = 256
HARDEST = 200.0  # no back end slows further than so many times
ROUNDS = 14


def strength(event: Event, pool: Pool, load: Load, disks: Disks, rows: Mapping[int, int]) -> float:
    """What `change` is given: I/Os a second that each culprit adds, or the factor of a service time or of a load.

    load: of the event's own time. rows: disk number to row. For DISK the factor of its own path.
    """
    mine = np.array([rows[disk] for disk in event.disks if disk in rows], np.int64)
    if event.kind == Kind.SELF:
        return event.factor
    if not len(mine) and event.kind not in SLOWED:
        return 1.0 if event.kind == Kind.DISK else 0.0  # they have all moved away
    service = np.full(load.rate.shape[1], pool.service_ms)
    before = serve(pool, load, disks, service)
    if event.kind == Kind.DISK:
        now = before.mean_ms(disks.read_ratio)[mine]
        return float(np.median(1.0 + (event.factor - 1.0) * now / disks.own_ms[mine]))
    if event.kind in SLOWED:
        return _service_factor(event.factor, pool, load, disks)
    others = np.setdiff1d(np.arange(len(load.rate)), mine)
    share, worth = cost(pool, load, disks)
    own = disks.own_ms[others]
    target = (event.factor * (own + share[others] * before.wait) - own) / share[others]
    wait = np.median(target, axis=0) if len(others) else before.wait * event.factor
    busy = utilisation(np.maximum(wait - service, 0.0), service, pool.servers, pool.burstiness)
    cap = np.minimum(disks.cap_iops, disks.cap_bps / load.block)
    rest = rates(wait, 1000.0 / load.rate, disks.own_ms + 0 * load.rate, share, load.threads, cap)
    rest_busy = pool.service_ms * np.einsum("dt,dt->t", rest, worth) / (1000.0 * pool.servers)
    block = event.block_bytes or float(np.median(load.block[mine]))
    passed = 1.0 - float(np.median(disks.read_ratio[mine])) * EXTRA_HIT
    each = passed * (1.0 + max(block - 4_096, 0.0) / pool.ref_bytes) * pool.service_ms / (1000.0 * pool.servers)
    wanted = float(np.median(np.maximum(busy - rest_busy, 0.0))) / each / max(len(mine), 1)
    # A closed loop of so many threads asks for more than it gets.
    return wanted / max(1.0 - wanted * float(np.median(wait)) / (1000.0 * EXTRA_THREADS), 0.25)


def _service_factor(factor: float, pool: Pool, load: Load, disks: Disks) -> float:
    """How many times longer the back end's service must take, so that the median disk takes `factor` times longer."""
    steps = load.rate.shape[1]
    before = serve(pool, load, disks, np.full(steps, pool.service_ms)).mean_ms(disks.read_ratio)
    low, high = 1.0, HARDEST
    for _ in range(ROUNDS):
        middle = float(np.sqrt(low * high))
        after = serve(pool, load, disks, np.full(steps, pool.service_ms * middle)).mean_ms(disks.read_ratio)
        low, high = (middle, high) if np.median(after / before) < factor else (low, middle)
    return float(np.sqrt(low * high)) if factor > 1.0 else 1.0


@dataclass(slots=True)
class Change:
    """What is different at some steps of one pool: its load, its service time (T,), its disks' own paths (D, T)."""

    load: Load
    service_ms: Floats
    own_factor: Floats


def change(event: Event, strong: float, at: Change, rows: Mapping[int, int], times: Ints) -> None:
    """Let an event of that strength work on steps that all lie within it."""
    mine = np.array([rows[disk] for disk in event.disks if disk in rows], np.int64)
    if event.kind in SLOWED:
        at.service_ms *= strong
    elif event.kind == Kind.DISK:
        at.own_factor[mine] *= strong
    elif event.kind == Kind.SELF:
        at.load.rate[mine] *= strong
        at.load.threads[mine] = np.maximum(at.load.threads[mine], EXTRA_THREADS / 4)
    else:
        _add(event, strong * shape(event, times), at.load, mine)


def shape(event: Event, times: Ints) -> Floats:
    """How much of an event's strength works at each moment, 0 … 1."""
    since = times - event.start
    if event.kind == Kind.RAMP:
        return np.asarray((since + 1.0) / event.length_s)
    if event.kind == Kind.SPIKES:
        return np.asarray((since % SPIKE_EVERY_S < SPIKE_S).astype(np.float64))
    return np.ones(len(times))


def _add(event: Event, extra: Floats, load: Load, mine: Ints) -> None:
    """The culprits ask for `extra` (T,) more I/Os a second each."""
    usual = load.rate[mine]
    total = usual + extra
    block = event.block_bytes or load.block[mine]
    load.block[mine] = (usual * load.block[mine] + extra * block) / total
    load.hit[mine] = (usual * load.hit[mine] + extra * EXTRA_HIT) / total
    load.threads[mine] = np.where(extra > 0, np.maximum(load.threads[mine], EXTRA_THREADS), load.threads[mine])
    load.rate[mine] = total
