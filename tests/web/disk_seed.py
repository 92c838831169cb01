"""A disk with a day behind it: even hours, an idle stretch, a gap, an hour over contract, and minutes of slowness."""

import math
import random
from dataclasses import dataclass
from typing import Any

from plimsoll_agent.core.r40 import bucket_of
from sla.fleet.models import Disk
from sla.scoring.services import settle_due
from tests.scoring.conftest import keep

N = 60
# Per latency in units of the mean: share of I/Os. A tail as disks have it.
SPREAD = ((0.4, 0.12), (0.6, 0.28), (0.9, 0.32), (1.4, 0.18), (2.2, 0.085), (3.2, 0.015))


@dataclass(frozen=True)
class Kind:
    """One way a minute may go: load a second, mean latency, share of covered I/Os that are slow, covered at all."""

    iops: int
    await_ms: float
    slow_ratio: float
    covered: bool = True
    queue: int = 0


EVEN = Kind(700, 4.2, 0.001)
OVER = Kind(1_350, 24.0, 0.0, covered=False, queue=32)
SLOW = Kind(820, 27.0, 0.62, queue=22)
IDLE = Kind(0, 0.0, 0.0)


def kind_at(ago: int) -> Kind | None:
    """What the minute so many minutes back was; None: nobody looked."""
    if 290 <= ago < 300:
        return None
    if 245 <= ago < 260:
        return IDLE
    if 170 <= ago < 210:
        return OVER
    return SLOW if ago < 18 or 80 <= ago < 83 else EVEN


def frame(start: int, term: int, kind: Kind, serial: str = "x", device: str = "vda") -> dict[str, Any]:
    """The minute as an agent sends it."""
    rng = random.Random(start)
    swing = 1 + 0.25 * math.sin(start / 2_300)
    ios = [max(0, round(kind.iops * swing * rng.uniform(0.94, 1.06))) for _ in range(N)]
    reads = [round(count * 0.42) for count in ios]
    writes = [count - read for count, read in zip(ios, reads, strict=True)]
    mean = [kind.await_ms * rng.uniform(0.9, 1.1) for _ in range(N)]
    read_ms = [round(count * each * 0.8) for count, each in zip(reads, mean, strict=True)]
    write_ms = [round(count * each * 1.1) for count, each in zip(writes, mean, strict=True)]
    slow = [round(count * kind.slow_ratio * rng.uniform(0.6, 1.4)) if kind.covered else 0 for count in writes]
    slow = [min(one, count) for one, count in zip(slow, writes, strict=True)]
    nothing = [0] * N
    excess = nothing if kind.covered else ios
    return {
        "device": device,
        "serial": serial,
        "vantage": "guest",
        "source": "diskstats",
        "start": start,
        "step_s": 1,
        "n": N,
        "base": {},
        "read_ios": reads,
        "write_ios": writes,
        "read_sectors": [8 * count for count in reads],
        "write_sectors": [16 * count for count in writes],
        "read_ms": read_ms,
        "write_ms": write_ms,
        "queue_ms": [a + b for a, b in zip(read_ms, write_ms, strict=True)],
        "in_flight": [kind.queue] * N,
        "in_flight_rule": "accounted",
        "fine_ms": [20] * N,
        "slow": [
            {
                "term": term,
                "threshold_ms": 15,
                "read_lo": nothing,
                "read_est": nothing,
                "read_hi": nothing,
                "write_lo": [one * 3 // 4 for one in slow],
                "write_est": slow,
                "write_hi": [min(one * 5 // 4 + 1, count) for one, count in zip(slow, writes, strict=True)],
                "covered_est": ios if kind.covered else nothing,
                "excess_lo": excess,
                "excess_hi": excess,
                "pool_start": 0,
                "lost_ms": nothing,
            }
        ],
        "read_hist": spread(sum(reads), kind.await_ms * 0.8, rng),
        "write_hist": spread(sum(writes), kind.await_ms * 1.1, rng),
    }


def spread(count: int, mean_ms: float, rng: random.Random) -> list[list[int]]:
    """Pairs of R40 bucket and count that sum to `count`."""
    left, cells = count, {}
    for factor, share in SPREAD:
        some = min(left, round(count * share))
        bucket = bucket_of(max(10, round(1000 * mean_ms * factor * rng.uniform(0.9, 1.1))))
        cells[bucket] = cells.get(bucket, 0) + some
        left -= some
    if left:
        bucket = bucket_of(max(10, round(1000 * mean_ms)))
        cells[bucket] = cells.get(bucket, 0) + left
    return [[bucket, some] for bucket, some in sorted(cells.items()) if some]


def seed(disk: Disk, now: int, minutes: int) -> None:
    """Store and score the last minutes of a disk whose contract is assigned; `now` is a whole minute."""
    term = disk.assignments.get().version_id
    ago = range(minutes, 0, -1)
    frames = [frame(now - 60 * m, term, kind) for m in ago if (kind := kind_at(m)) is not None]
    for at in range(0, len(frames), 500):
        keep(disk, *frames[at : at + 500])
    while settle_due().marks:
        pass
