"""When does each I/O of a load end on a simulated disk? Times in µs, exact and repeatable by seed.

A disk is a token bucket (`cap` a second, `burst` saved up), then `servers` that each hold an I/O for its service time,
with windows in which nothing ends (`frozen`). Waiting I/Os are taken in order fifo, lifo or at random.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass, field

US_PER_S = 1_000_000


@dataclass(frozen=True, slots=True)
class Disk:
    """What a disk can do."""

    service_us: Callable[[random.Random], int]
    cap: float = 1000.0
    burst: float = 1.0
    servers: int = 32
    order: str = "fifo"
    frozen: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Load:
    """Who sends: moments of an open load (µs, how many at once), and threads that wait for their answer."""

    bursts: tuple[tuple[int, int], ...] = ()
    threads: int = 0
    think_us: int = 0
    sizes: tuple[int, ...] = (4096,)


@dataclass(slots=True)
class Trace:
    """Every I/O in order of arrival: when it came, when it ended (µs), its bytes."""

    arrived: list[int] = field(default_factory=list)
    ended: list[int] = field(default_factory=list)
    size: list[int] = field(default_factory=list)


def run(disk: Disk, load: Load, seconds: int, seed: int) -> Trace:  # noqa: PLR0912, PLR0915  (one loop of events)
    """Play the load on the disk; what arrives before `seconds` is played to its end."""
    rng = random.Random(seed)
    end = seconds * US_PER_S
    trace = Trace()
    events: list[tuple[int, int, int]] = [(moment, 0, count) for moment, count in load.bursts if moment < end]
    events += [(rng.randrange(1000), 1, 0) for _ in range(load.threads)]
    heapq.heapify(events)
    waiting: list[int] = []
    closed: set[int] = set()
    tokens, filled, busy = disk.burst, 0, 0
    due = -1  # when the bucket next lets one through
    head = 0  # fifo reads from here instead of popping from the front
    while events:
        now, kind, what = heapq.heappop(events)
        if kind == 3:
            due = -1
        elif kind == 2:
            busy -= 1
            trace.ended[what] = now
            if what in closed and now < end:
                heapq.heappush(events, (now + load.think_us, 1, 0))
        elif kind in {0, 1}:
            for _ in range(what if kind == 0 else 1):
                number = len(trace.arrived)
                if kind == 1:
                    if now >= end:
                        break
                    closed.add(number)
                trace.arrived.append(now)
                trace.ended.append(-1)
                trace.size.append(rng.choice(load.sizes))
                waiting.append(number)
        tokens = min(disk.burst, tokens + (now - filled) * disk.cap / US_PER_S)
        filled = now
        while head < len(waiting) and busy < disk.servers:
            if tokens < 1 - 1e-9:
                if due < 0:
                    due = now + int((1 - tokens) * US_PER_S / disk.cap) + 1
                    heapq.heappush(events, (due, 3, 0))
                break
            tokens -= 1
            if disk.order == "fifo":
                number = waiting[head]
                head += 1
            else:
                place = len(waiting) - 1 if disk.order == "lifo" else rng.randrange(head, len(waiting))
                waiting[place], waiting[-1] = waiting[-1], waiting[place]
                number = waiting.pop()
            busy += 1
            heapq.heappush(events, (_thawed(now + disk.service_us(rng), disk.frozen), 2, number))
        if head > 4096:
            del waiting[:head]
            head = 0
    return trace


def _thawed(moment: int, frozen: tuple[tuple[int, int], ...]) -> int:
    """Nothing ends while the disk is frozen: it ends just after."""
    for start, stop in frozen:
        if start <= moment < stop:
            return stop + (moment - start) % 1000
    return moment


def poisson(rate: float, seconds: int, rng: random.Random) -> tuple[tuple[int, int], ...]:
    """Single I/Os at random moments."""
    moments, now = [], 0.0
    while True:
        now += rng.expovariate(rate) * US_PER_S
        if now >= seconds * US_PER_S:
            return tuple(moments)
        moments.append((int(now), 1))


def flushes(count: int, period_us: int, seconds: int, first_us: int = 0) -> tuple[tuple[int, int], ...]:
    """`count` I/Os at once, every period."""
    return tuple((moment, count) for moment in range(first_us, seconds * US_PER_S, period_us))


def steady(service_us: int) -> Callable[[random.Random], int]:
    """Always about the same service time."""
    return lambda rng: int(service_us * rng.uniform(0.8, 1.2))


def mixed(service_us: int, slow_us: int, share: float) -> Callable[[random.Random], int]:
    """A share of the I/Os is slow."""
    return lambda rng: int((slow_us if rng.random() < share else service_us) * rng.uniform(0.9, 1.1))
