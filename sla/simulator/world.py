"""Which storage world is simulated? Back ends, the tenants on them, and what happens to them, as plain data.

Start here: a `Scenario` (made by hand, or by `sla.simulator.scenes`) goes into `sla.simulator.run.run`.
Disks are numbered through all pools: pool 0's tenants first, then pool 1's, and so on. Times are Unix seconds UTC.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

HOUR_S, DAY_S, WEEK_S = 3_600, 86_400, 604_800


class Kind(StrEnum):
    """What can happen. Beside each: the cause that a detector should name."""

    BURST = "burst"  # one disk asks for much more at once: neighbour
    RAMP = "ramp"  # the same, growing linearly until the event ends: neighbour
    SPIKES = "spikes"  # the same, one minute on and two off: neighbour
    BACKUP = "backup"  # several disks read in long runs at once: neighbour without a single culprit
    FAULT = "fault"  # the back end itself slows, nobody asks for more: backend
    MAINTENANCE = "maintenance"  # a planned FAULT: backend
    DISK = "disk"  # one disk's own path slows, its pool does not: disk
    SELF = "self"  # one disk asks for more than its own cap or device gives: self
    MIGRATION = "migration"  # one disk moves to `to_pool` for good at `start`, its copy loading both for `length_s`


class Cause(StrEnum):
    """Why something was slow, in the words of the neighbour windows."""

    NEIGHBOUR = "neighbour"
    BACKEND = "backend"
    DISK = "disk"
    SELF = "self"


@dataclass(frozen=True, slots=True)
class Tenant:
    """One disk: what its owner asks of it, and what it is by itself.

    iops: I/Os a second at the busiest hour, if answers cost no time. threads: at most so many of its requests wait at
    a time (few: a closed loop that slows down with its disk; many: an open one). day: 0 (steady) … 1 (nothing at
    night); peak_hour: of UTC; weekend: factor on Saturday and Sunday. jitter: how wildly the load moves within the
    hour (sd of its logarithm). hit: share of reads that the back end's cache answers. own_ms: what an I/O takes where
    nobody waits. cap_iops, cap_bps: its throttle. retry: share of requests that are sent again while answers take
    over `retry_ms`. rest: share of the time in which it does nothing. loss: gaps of its agent a day; skew_s: its clock.
    """

    iops: float = 200.0
    read_ratio: float = 0.6
    block_bytes: int = 16_384
    threads: int = 32
    day: float = 0.5
    peak_hour: float = 14.0
    weekend: float = 0.6
    jitter: float = 0.25
    hit: float = 0.5
    own_ms: float = 0.4
    cap_iops: float | None = None
    cap_bps: float | None = None
    retry: float = 0.0
    retry_ms: float = 50.0
    rest: float = 0.0
    loss: float = 0.0
    skew_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Pool:
    """A back end: `servers` I/Os at a time, each `service_ms`, behind a cache that keeps what `cache_bps` touches.

    ref_bytes: an I/O of that size costs two of the smallest. burstiness: of arrivals and services together (1: both
    exponential). noise: sd of the logarithm of its latency that no load explains; tail: how often a day it hiccups.
    """

    tenants: tuple[Tenant, ...]
    servers: int = 16
    service_ms: float = 1.0
    ref_bytes: int = 65_536
    burstiness: float = 6.0
    cache_bps: float = 2e9
    noise: float = 0.05
    disk_noise: float = 0.10
    tail: float = 4.0


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens to `pool` (its index) from `start` for `length_s` seconds.

    disks: numbers (through all pools) of those who do it, or to whom it happens (DISK, SELF, MIGRATION).
    factor: how many times longer the median disk of the pool should take than without it; what it really was stands
    in the truth, for other loads go up and down meanwhile. For SELF: times its usual load; for DISK: its own latency.
    block_bytes: request size of what a culprit adds; 0: its usual one.
    """

    kind: Kind
    pool: int
    start: int
    length_s: int
    disks: tuple[int, ...] = ()
    factor: float = 2.0
    to_pool: int = -1
    block_bytes: int = 0

    @property
    def end(self) -> int:
        return self.start + self.length_s


@dataclass(frozen=True, slots=True)
class Scenario:
    """A seeded world. The same scenario gives the same figures at the same moment, whatever span is asked for."""

    seed: int
    pools: tuple[Pool, ...]
    events: tuple[Event, ...] = ()

    @property
    def disks(self) -> int:
        """How many there are."""
        return sum(len(pool.tenants) for pool in self.pools)

    @property
    def tenants(self) -> tuple[Tenant, ...]:
        """By disk number."""
        return tuple(tenant for pool in self.pools for tenant in pool.tenants)

    @property
    def home(self) -> tuple[int, ...]:
        """By disk number: the pool where it began."""
        return tuple(index for index, pool in enumerate(self.pools) for _ in pool.tenants)

    def with_events(self, *events: Event) -> Scenario:
        """The same world in which these things happen too."""
        return replace(self, events=(*self.events, *events))
