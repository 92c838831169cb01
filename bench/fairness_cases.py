"""Which disks and loads must be judged fairly? The table of design semantics §4, and as many random ones as wanted."""

from __future__ import annotations

import random
from dataclasses import dataclass

from bench.simdisk import US_PER_S, Disk, Load, flushes, mixed, poisson, steady

TABLE_S = 60
RANDOM_S = 20


@dataclass(frozen=True, slots=True)
class Case:
    """A disk under a load. `faulty` is what it was built to be; `tricky`: the order of service hides it."""

    name: str
    faulty: bool
    disk: Disk
    load: Load
    seconds: int
    seed: int
    tricky: bool = False


def table() -> list[Case]:
    """The published table: honest disks are capped at 1000 and serve in 1 ms."""
    rng = random.Random(7)
    fast, honest = steady(1000), Disk(steady(1000))
    s = TABLE_S

    def case(name: str, faulty: bool, disk: Disk, load: Load) -> Case:
        return Case(name, faulty, disk, load, s, len(name))

    def light(rate: float, bursts: tuple[tuple[int, int], ...] = ()) -> Load:
        return Load(tuple(sorted(poisson(rate, s, rng) + bursts)))

    every = US_PER_S
    phase = tuple((m + o, c) for m in range(0, s * every, 50_000) for o, c in ((9_900, 20), (10_300, 13)))
    whales = tuple((m, c) for m in range(0, s * every, 19 * every) for c in (8000,))
    frozen = tuple((m + 10_000, m + every) for m in range(0, s * every, 2 * every))
    return [
        case("flush of 60 each second + 200/s", False, honest, light(200, flushes(60, every, s, 300_000))),
        case("flush of 200 each second + 200/s", False, honest, light(200, flushes(200, every, s, 300_000))),
        case("flush of 3000 each 5 s + 100/s", False, honest, light(100, flushes(3000, 5 * every, s, 300_000))),
        case("64 threads", False, honest, Load(threads=64)),
        case("12 threads", False, honest, Load(threads=12)),
        case("20 just before a sample, 13 just after", False, Disk(fast, burst=14), Load(phase)),
        case("bursts of 20 and of 8000", False, honest, light(20, flushes(20, every, s, 100_000) + whales)),
        case("Poisson 500, 3 % at 40 ms", True, Disk(mixed(1000, 40_000, 0.03), cap=5000, servers=99), light(500)),
        case(
            "flush of 60 each second + 200/s, 3 % slow",
            True,
            Disk(mixed(1000, 40_000, 0.03), servers=99),
            light(200, flushes(60, every, s, 300_000)),
        ),
        case("64 threads capped at 600", True, Disk(fast, cap=600), Load(threads=64)),
        case("20 threads capped at 850", True, Disk(fast, cap=850), Load(threads=20)),
        case("64 threads and a stall of 3 s", True, Disk(fast, frozen=((20 * every, 23 * every),)), Load(threads=64)),
        case(
            "flush of 500 each 5 s capped at 510", True, Disk(fast, cap=510), Load(flushes(500, 5 * every, s, 300_000))
        ),
        case("10 threads frozen 0.99 s of every 2 s", True, Disk(fast, frozen=frozen), Load(threads=10)),
        case("50 threads held together", True, Disk(steady(60_000), cap=50_000, servers=99), Load(threads=50)),
    ]


def honest(seed: int) -> Case:
    """A disk that keeps its promise: at least the contracted rate, fast service, any load."""
    rng = random.Random(seed * 2)
    service = rng.choice([300, 1000, 2000])
    tail = rng.choice([0.0, 0.0, 0.002, 0.004])
    servers = rng.choice([8, 32])
    disk = Disk(
        mixed(service, rng.choice([20_000, 40_000]), tail) if tail else steady(service),
        cap=rng.choice([1000, 1100, 2000]),
        burst=rng.choice([1, 5, 30]),
        servers=servers if not tail else 99,
        order=rng.choice(["fifo", "fifo", "fifo", "lifo", "random"]),
    )
    load = _load(rng, RANDOM_S)
    return Case(f"honest {seed}", False, disk, load, RANDOM_S, seed, tricky=disk.order != "fifo")


def faulty(seed: int) -> Case:
    """A disk that breaks its promise in one of the ways that were seen."""
    rng = random.Random(seed * 2 + 1)
    fast = steady(rng.choice([300, 1000]))
    s, every = RANDOM_S, US_PER_S
    kind = rng.choice(["mixture", "capped", "stall", "frozen", "held", "drip"])
    light = Load(poisson(rng.choice([100, 200, 300, 500, 700]), s, rng))
    deep = Load(threads=rng.choice([20, 32, 64]))
    if kind == "mixture":
        share, slow = rng.uniform(0.025, 0.1), rng.choice([25_000, 40_000, 80_000])
        disk, load = Disk(mixed(rng.choice([300, 1000]), slow, share), cap=5000, servers=200), light
        if rng.random() < 0.3:
            load = Load(tuple(sorted(load.bursts + flushes(rng.choice([20, 60]), every, s, 300_000))))
    elif kind == "capped":
        disk, load = Disk(fast, cap=rng.choice([300, 500, 700, 800])), deep
    elif kind == "stall":
        start = rng.randrange(2, 12) * every
        disk = Disk(fast, frozen=((start, start + rng.randrange(1, 4) * every),))
        load = rng.choice([light, deep])
    elif kind == "frozen":
        period = rng.choice([500_000, 2 * every])
        hold = int(period * rng.uniform(0.2, 0.6))
        disk = Disk(fast, frozen=tuple((m, m + hold) for m in range(100_000, s * every, period)))
        load = rng.choice([light, deep])
    elif kind == "drip":
        # A flush that is worked off at half the rate or less, and silence until the next.
        count, period = rng.choice([(200, 1), (500, 3), (500, 5)])
        disk = Disk(fast, cap=rng.choice([250, 400, 510]))
        load = Load(flushes(count, period * every, s, 300_000))
    else:
        # All held equally long, so long that the threads together stay below the contract.
        service = rng.choice([40_000, 80_000])
        disk = Disk(steady(service), cap=50_000, servers=99)
        load = Load(threads=rng.choice([20, 30]) * service // 40_000)
    # In a closed loop the last-come order would starve a few threads and serve all others in time: no breach.
    order = rng.choice(["fifo"] * 8 + ["random", "lifo"]) if kind == "mixture" else "fifo"
    disk = Disk(disk.service_us, disk.cap, disk.burst, disk.servers, order, disk.frozen)
    return Case(f"{kind} {seed}", True, disk, load, s, seed, tricky=order != "fifo")


def _load(rng: random.Random, seconds: int) -> Load:
    """Open, bursty or closed."""
    kind = rng.choice(["open", "flush", "flush", "closed", "both"])
    sizes = rng.choice([(4096,), (4096,), (4096, 65_536), (4096, 524_288)])
    bursts: tuple[tuple[int, int], ...] = ()
    threads = 0
    if kind in ("open", "flush", "both"):
        bursts = poisson(rng.choice([20, 100, 300, 600, 850]), seconds, rng)
    if kind in ("flush", "both"):
        count, period = rng.choice([(20, 100_000), (40, 200_000), (60, 1), (200, 1), (1500, 5), (100, 3)])
        if period < 1000:
            period *= US_PER_S
        bursts += flushes(count, period, seconds, rng.randrange(100_000))
    if kind in ("closed", "both"):
        threads = rng.choice([1, 4, 10, 12, 14, 16, 20, 40, 64])
    return Load(tuple(sorted(bursts)), threads, rng.choice([0, 0, 2000]), sizes)
