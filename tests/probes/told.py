"""What an agent tells of active tests, as the tests change it."""

import time
import uuid
from typing import Any

from plimsoll_agent.core.r40 import bucket_of


def _told(kind: str, **change: Any) -> dict[str, Any]:
    now = round(time.time(), 3)
    return {
        "id": uuid.uuid4().hex,
        "kind": kind,
        "device": "vda",
        "serial": "serial-0123456789abcdef",
        "wwn": None,
        "started_at": now - 30,
        "agent_version": "1.0.0",
        "on": "file",
        **change,
    }


def step(concurrency: int, iops: int, fast_ms: float, slow: int = 0, seconds: float = 5.0) -> dict[str, Any]:
    """So many I/Os a second at one latency, `slow` of the step's I/Os at 40 ms."""
    ios = round(iops * seconds)
    hist = [[bucket_of(round(fast_ms * 1000)), ios - slow]] + ([[bucket_of(40_000), slow]] if slow else [])
    return {
        "concurrency": concurrency,
        "seconds": seconds,
        "ios": ios,
        "iops": float(iops),
        "await_ms": fast_ms,
        "queue": iops * fast_ms / 1000,
        "p99_ms": fast_ms if slow * 100 < ios else 42.5,
        "slow": slow,
        "met": slow * 100 <= ios,
        "hist": hist,
    }


STEPS = [step(1, 400, 2.5), step(2, 780, 2.6), step(4, 1210, 3.3, slow=30), step(8, 1240, 6.5, slow=900)]


def steps(**change: Any) -> dict[str, Any]:
    """A disk that tips between 4 and 8 in flight."""
    told = _told("steps", ended_at=round(time.time(), 3), engine="fio", block_bytes=4096, write_percent=0)
    return {**told, "slow_ms": 15.0, "objective": 0.99, "iops": 0, "stopped": None, "steps": STEPS, **change}


def commits(rate: float, writers: int = 1, flood_mib: int = 0, slowest: float | None = None) -> dict[str, Any]:
    return {
        "writers": writers,
        "flood_mib": flood_mib,
        "commits": round(rate * 5),
        "commits_per_s": rate,
        "slowest_writer_per_s": rate / writers if slowest is None else slowest,
        "mean_ms": 1000 * writers / rate,
        "p99_ms": 4000 * writers / rate,
        "worst_ms": 9000.0 * writers / rate,
    }


def fsync(**change: Any) -> dict[str, Any]:
    """A disk whose commits collapse under dirty pages."""
    return {
        **_told("fsync", ended_at=round(time.time(), 3), record_bytes=4096),
        "alone": commits(812.4),
        "beside_flood": commits(11.2, flood_mib=900),
        "several_writers": commits(640.0, writers=4, slowest=97.0),
        **change,
    }


def durability(**change: Any) -> dict[str, Any]:
    """A durability test that begins."""
    told = _told("durability", run="00ff00ff00ff00ff", target="ab" * 32, boot_id="boot-1", block_bytes=4096)
    return {**told, **change}
