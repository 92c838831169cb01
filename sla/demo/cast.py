"""Who is in the demonstration? Pools, customers, machines and disks of a made-up provider, by seed."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from sla.simulator import scenes
from sla.simulator.noise import generator
from sla.simulator.world import Pool, Tenant

STREAM = 31
CUSTOMERS = ("Alder", "Birch", "Cedar", "Dogwood", "Elder", "Fir", "Gorse", "Hazel")
ZONES = {"Birch": "Europe/Berlin", "Fir": "America/New_York", "Hazel": "Europe/London"}
# Hostnames by what a tenant does; two disks a machine as a rule.
NAMES = ("web", "db", "shop", "mail", "ci", "build", "erp", "k8s", "cache", "wiki", "queue", "auth")
DEVICES = ("vda", "vdb", "vdc")
GIB = 2**30
VERSIONS = ("1.2.0", "1.2.0", "1.2.0", "1.1.4")


@dataclass(frozen=True, slots=True)
class Medium:
    """What a kind of pool is made of, what is promised on it, and what it costs a month and disk."""

    service_ms: float
    own_ms: float
    load: float  # times what a tenant of the usual kinds asks for
    contract: str
    fee_cents: int


MEDIA = {
    "nvme": Medium(0.12, 0.08, 1.6, "99.9% < 4 ms at 3000 IOPS", 14_900),
    "ssd": Medium(0.55, 0.30, 0.7, "99% < 15 ms at 1000 IOPS", 6_900),
    "hdd": Medium(4.0, 1.5, 0.12, "99% < 50 ms at 300 IOPS", 2_900),
    "ceph": Medium(1.2, 0.8, 0.5, "99% reads < 25 ms, writes < 40 ms at 800 IOPS", 4_900),
    "archive": Medium(8.0, 3.0, 0.06, "95% < 100 ms at 150 IOPS when reads >= 20%", 1_200),
}
POOLS = (
    *(("ssd-1", 22), ("ssd-2", 20), ("ssd-3", 18), ("ssd-4", 16)),
    *(("nvme-1", 22), ("nvme-2", 18), ("nvme-3", 12)),
    *(("hdd-1", 20), ("hdd-2", 16), ("hdd-3", 12), ("ceph-1", 16), ("archive-1", 8)),
)
KINDS: tuple[Callable[[np.random.Generator], Tenant], ...] = (
    scenes.web, scenes.web, scenes.web, scenes.database, scenes.database, scenes.large_block, scenes.retrying,
)  # fmt: skip


def medium_of(pool: str) -> Medium:
    """By a pool's name."""
    return MEDIA[pool.partition("-")[0]]


@dataclass(frozen=True, slots=True)
class Member:
    """One disk: its number in the simulated world, and how inventory and contract call it."""

    number: int
    customer: str
    machine: str
    host: str
    device: str
    serial: str
    size_bytes: int
    pool: str
    tenant: Tenant
    accounted: bool = True  # its kernel's in_flight proves ages (Linux 6.16 and later)
    version: str = "1.2.0"

    @property
    def medium(self) -> Medium:
        """What it lies on."""
        return medium_of(self.pool)

    @property
    def rule(self) -> str:
        """The protocol's word for `accounted`."""
        return "accounted" if self.accounted else "driver"


@dataclass(frozen=True, slots=True)
class Cast:
    """Everybody. `pools` are those of the simulated world, in the order of `names`; disks are numbered through them."""

    seed: int
    names: tuple[str, ...]
    pools: tuple[Pool, ...]
    members: tuple[Member, ...]

    def pool(self, name: str) -> int:
        """The index of a pool."""
        return self.names.index(name)

    def in_pool(self, name: str) -> tuple[Member, ...]:
        """Its disks as the story begins."""
        return tuple(member for member in self.members if member.pool == name)


# Parts that the story needs, as (pool, which of its disks) -> the tenant played.
FLOOD = Tenant(
    iops=6_000, threads=64, cap_iops=1_000, read_ratio=0.4, day=0, weekend=1.0, jitter=0.05, hit=0.2, own_ms=0.3
)
EDGE = Tenant(iops=260, read_ratio=0.6, threads=48, day=0.3, hit=0.2, own_ms=3.4, jitter=0.2, block_bytes=8_192)
RESTING = Tenant(rest=1.0)
PARTS = {
    ("ssd-4", 2): FLOOD,
    ("ssd-4", 5): replace(FLOOD, iops=5_000, threads=48),
    ("ssd-1", 4): EDGE,
    ("ssd-2", 7): replace(EDGE, own_ms=2.7),
    ("ssd-1", 9): RESTING,
    ("hdd-3", 3): RESTING,
    ("nvme-1", 11): RESTING,
    ("archive-1", 6): RESTING,
}
OLD_KERNELS = {("ssd-1", 4), ("hdd-1", 2), ("nvme-1", 3)}


def cast(seed: int = 1, pools: tuple[tuple[str, int], ...] = POOLS) -> Cast:
    """The same people and machines for the same seed. `pools`: (name, disks); a smaller list is a smaller fleet."""
    rng = generator(seed, STREAM)
    made: list[Pool] = []
    members: list[Member] = []
    for name, count in pools:
        tenants = tuple(_tenant(rng, name, place) for place in range(count))
        made.append(_pool(rng, name, tenants))
        members += _members(rng, name, tenants, len(members))
    return Cast(seed, tuple(name for name, _ in pools), tuple(made), tuple(members))


def _tenant(rng: np.random.Generator, pool: str, place: int) -> Tenant:
    usual = KINDS[int(rng.integers(len(KINDS)))](rng)
    medium = medium_of(pool)
    part = PARTS.get((pool, place))
    if part is not None:
        return part
    large = usual.block_bytes > 65_536
    return replace(
        usual,
        iops=usual.iops * medium.load,
        own_ms=medium.own_ms * (3.0 if large else 1.0),
        loss=0.4 if place % 9 == 8 else 0.0,
        retry_ms=max(usual.retry_ms, 8 * medium.own_ms),
    )


def _pool(rng: np.random.Generator, name: str, tenants: tuple[Tenant, ...]) -> Pool:
    medium = medium_of(name)
    asked = sum(scenes.work(tenant) for tenant in tenants)
    return Pool(
        tenants=tenants,
        servers=max(3, round(asked * medium.service_ms / 1_000 / rng.uniform(0.42, 0.55))),
        service_ms=medium.service_ms,
        burstiness=5.0,
        noise=0.05,
        disk_noise=0.09,
        tail=3.0,
    )


def _members(rng: np.random.Generator, pool: str, tenants: tuple[Tenant, ...], first: int) -> list[Member]:
    """Machines of one or two disks, their customers by chance, the bigger ones more often."""
    found: list[Member] = []
    while len(found) < len(tenants):
        disks = min(int(rng.choice([1, 2, 2, 3])), len(tenants) - len(found))
        customer = CUSTOMERS[int(rng.choice(len(CUSTOMERS), p=_shares()))]
        machine = f"{NAMES[int(rng.integers(len(NAMES)))]}-{first + len(found) + 1}"
        host, version = f"hv-{int(rng.integers(1, 13)):02}", VERSIONS[int(rng.integers(len(VERSIONS)))]
        for device in DEVICES[:disks]:
            place = len(found)
            found.append(
                Member(
                    number=first + place,
                    customer=customer,
                    machine=machine,
                    host=host,
                    device=device,
                    serial=f"{int(rng.integers(2**40)):010x}",
                    size_bytes=int(rng.choice([20, 40, 80, 200])) * GIB,
                    pool=pool,
                    tenant=tenants[place],
                    accounted=(pool, place) not in OLD_KERNELS,
                    version=version,
                )
            )
    return found


def _shares() -> np.ndarray:
    weights = 1.0 / np.arange(2, len(CUSTOMERS) + 2) ** 0.7
    return weights / weights.sum()
