"""Which worlds are worth simulating? Pools and events drawn by chance, the kinds of tenant that hosters know.

`world(seed, start, days)` is what benchmarks ask for: some pools stay clean, the others get events of every kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil

import numpy as np

from sla.simulator.noise import generator
from sla.simulator.world import DAY_S, HOUR_S, Event, Kind, Pool, Scenario, Tenant

POOLS, EVENTS = 21, 22  # streams of the generator
LENGTHS_S = (300, 600, 900, 1_800, 3_600)
FACTORS = (1.5, 2.0, 3.0, 5.0)
MARGIN_S = 7_200  # between two events of a pool, so that each can be judged by itself
LARGE = 1_048_576
Rng = np.random.Generator


def web(rng: Rng) -> Tenant:
    """Small reads by day."""
    return Tenant(
        iops=rng.uniform(60, 400), read_ratio=rng.uniform(0.6, 0.9), block_bytes=8_192, threads=64,
        day=rng.uniform(0.4, 0.8), peak_hour=rng.uniform(10, 20), hit=rng.uniform(0.4, 0.7), jitter=0.3,
    )  # fmt: skip


def database(rng: Rng) -> Tenant:
    """Mixed small I/Os, much of it waited for."""
    return Tenant(
        iops=rng.uniform(200, 1_200), read_ratio=rng.uniform(0.4, 0.7), block_bytes=16_384, threads=24,
        day=rng.uniform(0.3, 0.6), peak_hour=rng.uniform(9, 17), hit=rng.uniform(0.3, 0.6), jitter=0.25,
    )  # fmt: skip


def closed_loop(rng: Rng) -> Tenant:
    """A few workers that wait for every answer: when its disk slows it asks for less."""
    return Tenant(
        iops=rng.uniform(800, 2_500), read_ratio=rng.uniform(0.3, 0.8), block_bytes=8_192,
        threads=int(rng.integers(2, 7)), day=0.3, hit=rng.uniform(0.2, 0.5), jitter=0.15,
    )  # fmt: skip


def capped(rng: Rng) -> Tenant:
    """Asks for about what its throttle allows."""
    cap = float(rng.choice([300, 500, 1_000]))
    return Tenant(
        iops=cap * rng.uniform(0.8, 1.15), read_ratio=0.5, block_bytes=8_192, threads=32, day=0.4,
        peak_hour=rng.uniform(9, 18), hit=0.3, cap_iops=cap,
    )  # fmt: skip


def large_block(rng: Rng) -> Tenant:
    """Streams: few requests, each worth many."""
    return Tenant(
        iops=rng.uniform(20, 90), read_ratio=rng.uniform(0.2, 0.9), block_bytes=int(rng.choice([262_144, LARGE])),
        threads=8, day=rng.uniform(0.1, 0.6), peak_hour=rng.uniform(0, 24), hit=0.1, jitter=0.4, own_ms=1.5,
    )  # fmt: skip


def retrying(rng: Rng) -> Tenant:
    """Sends again what was not answered in time."""
    return Tenant(
        iops=rng.uniform(100, 500), read_ratio=0.7, block_bytes=16_384, threads=128, day=0.5,
        hit=0.4, retry=rng.uniform(0.2, 0.6), retry_ms=rng.uniform(4, 20),
    )  # fmt: skip


def idler(rng: Rng) -> Tenant:
    """Rests most of the time."""
    return Tenant(iops=rng.uniform(5, 60), day=0.4, rest=rng.uniform(0.5, 0.95), hit=0.6, jitter=0.5)


def forgetful(rng: Rng) -> Tenant:
    """Its agent has gaps and a clock that is off."""
    return Tenant(iops=rng.uniform(50, 400), hit=0.5, loss=rng.uniform(1, 8), skew_s=rng.uniform(-1.5, 1.5))


def heavy(rng: Rng, others: float) -> Tenant:
    """Permanently half of its pool's load, wild within the hour, guilty of nothing by that."""
    return Tenant(
        iops=max(others * rng.uniform(0.6, 1.2), 500.0), read_ratio=0.6, block_bytes=16_384, threads=128, day=0.3,
        peak_hour=rng.uniform(8, 22), hit=0.3, jitter=0.45,
    )  # fmt: skip


COMMON: tuple[tuple[float, Callable[[Rng], Tenant]], ...] = (
    (0.30, web),
    (0.22, database),
    (0.08, closed_loop),
    (0.10, capped),
    (0.10, large_block),
    (0.06, retrying),
    (0.08, idler),
    (0.06, forgetful),
)


def pool(rng: Rng, disks: int, busy: float | None = None, heavy_hitter: bool | None = None) -> Pool:
    """A pool of so many disks, about `busy` (a utilisation; None: by chance) at its busiest hour."""
    shares = np.array([share for share, _ in COMMON])
    kinds = rng.choice(len(COMMON), size=disks, p=shares / shares.sum())
    tenants = [COMMON[kind][1](rng) for kind in kinds]
    if heavy_hitter if heavy_hitter is not None else rng.random() < 0.5:
        tenants[int(rng.integers(disks))] = heavy(rng, sum(one.iops for one in tenants) * 0.6)
    service = float(rng.choice([0.4, 0.8, 1.5, 4.0]))
    peak = busy if busy is not None else float(rng.uniform(0.45, 0.72))
    asked = sum(work(one) for one in tenants)
    return Pool(
        tenants=tuple(tenants),
        servers=max(2, ceil(asked * service / 1_000 / peak)),
        service_ms=service,
        burstiness=float(rng.uniform(4, 10)),
        noise=float(rng.uniform(0.03, 0.08)),
        disk_noise=float(rng.uniform(0.06, 0.15)),
        tail=float(rng.uniform(1, 8)),
    )


def work(tenant: Tenant, ref_bytes: int = 65_536) -> float:
    """What a tenant's busiest hour is worth to a back end, in smallest I/Os a second; a closed loop's is guessed."""
    rate = min(tenant.iops, tenant.cap_iops or tenant.iops, tenant.threads * 600.0)
    size = 1.0 + max(tenant.block_bytes - 4_096, 0) / ref_bytes
    return 0.8 * rate * (1.0 - tenant.read_ratio * tenant.hit) * size


def culprits(scenario: Scenario, index: int) -> list[int]:
    """Disks of a pool that could slow it: nothing throttles them and they do not rest."""
    return [
        disk
        for disk, (home, tenant) in enumerate(zip(scenario.home, scenario.tenants, strict=True))
        if home == index and tenant.cap_iops is None and tenant.rest == 0 and tenant.loss == 0
    ]


def event(rng: Rng, scenario: Scenario, index: int, kind: Kind, start: int) -> Event | None:
    """An event of that kind in a pool, None where the pool has nobody for it."""
    tenants = scenario.tenants
    mine = [disk for disk, home in enumerate(scenario.home) if home == index]
    able = culprits(scenario, index)
    length = int(rng.choice(LENGTHS_S))
    factor = float(rng.choice(FACTORS))
    block = int(rng.choice([0, 0, LARGE]))
    if kind in (Kind.FAULT, Kind.MAINTENANCE):
        return Event(kind, index, start, length, factor=factor)
    if kind == Kind.BACKUP:
        some = rng.permutation(able)[: max(2, len(able) // 5)].tolist()
        return Event(kind, index, start, max(length, 1_200), tuple(some), factor, block_bytes=LARGE) if some else None
    if kind == Kind.SELF:
        able = [disk for disk in mine if tenants[disk].cap_iops is not None]
    elif kind == Kind.DISK:
        able = [disk for disk in mine if tenants[disk].rest == 0]
    elif kind == Kind.MIGRATION:
        able = mine if len(mine) > 3 and len(scenario.pools) > 1 else []
    if not able:
        return None
    one = (int(rng.choice(able)),)
    if kind == Kind.MIGRATION:
        other = int(rng.choice([to for to in range(len(scenario.pools)) if to != index]))
        return Event(kind, index, start, 1_800, one, 1.0, to_pool=other)
    if kind in (Kind.RAMP, Kind.SPIKES):
        return Event(kind, index, start, max(length, 3_600), one, max(factor, 2.0), block_bytes=block)
    return Event(kind, index, start, length, one, factor, block_bytes=block)


def world(
    seed: int,
    start: int,
    days: float,
    *,
    pools: int = 12,
    disks: tuple[int, int] = (3, 60),
    kinds: Sequence[Kind] = tuple(Kind),
    events_a_day: float = 4.0,
    clean: float = 0.25,
    warm_days: float = 1.0,
) -> Scenario:
    """Pools of `disks` (from, to) disks; a share `clean` of the pools has no events, the others about `events_a_day`.

    No event begins in the first `warm_days`, and two events of one pool lie at least two hours apart. The kinds are
    taken in turn, so that all of them come.
    """
    rng = generator(seed, POOLS)
    made = Scenario(seed, tuple(pool(rng, int(rng.integers(disks[0], disks[1] + 1))) for _ in range(pools)))
    rng = generator(seed, EVENTS)
    found: list[Event] = []
    turn = int(rng.integers(len(kinds))) if kinds else 0
    for index in range(pools if kinds else 0):
        if rng.random() < clean:
            continue
        at = start + int(warm_days * DAY_S)
        while (at := at + int(rng.exponential(DAY_S / events_a_day))) < start + int(days * DAY_S) - HOUR_S:
            at = at // 60 * 60
            kind = kinds[turn % len(kinds)]
            turn += 1
            if (one := event(rng, made, index, kind, at)) is not None:
                found.append(one)
                at = one.end + MARGIN_S
    return made.with_events(*found)
