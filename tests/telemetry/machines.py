"""A machine and its minutes, as an agent would send them."""

import random
from typing import Any


def description(machine_id: str = "0123456789abcdef", **change: Any) -> dict[str, Any]:
    """The body of an enrolment, with one disk."""
    disk = {"device": "vda", "serial": f"serial-{machine_id}", "wwn": None, "size_bytes": 10 * 2**30}
    return {
        "machine_id": machine_id,
        "hostname": "web-1",
        "boot_id": "boot-1",
        "agent_version": "1.0.0",
        "virtualisation": "kvm",
        "facts": {},
        "disks": [{**disk, "rotational": False, "scheduler": "none", "write_cache": "write back"}],
        **change,
    }


def minute(start: int, term: int | None = None, seed: int | None = None, n: int = 60, **change: Any) -> dict[str, Any]:
    """A minute of moderate load, consistent in itself; labelled for `term` where one is given."""
    rng = random.Random(start if seed is None else seed)
    reads, writes = [rng.randint(20, 90) for _ in range(n)], [rng.randint(30, 200) for _ in range(n)]
    slow = [rng.choice((0, 0, 0, 1)) for _ in range(n)]
    read_ms, write_ms = reads, [count + 20 * late for count, late in zip(writes, slow, strict=True)]
    frame: dict[str, Any] = {
        "device": "vda",
        "serial": "serial-0123456789abcdef",
        "vantage": "guest",
        "source": "diskstats",
        "start": start,
        "step_s": 1,
        "n": n,
        "base": {},
        "read_ios": reads,
        "write_ios": writes,
        "read_sectors": [8 * count for count in reads],
        "write_sectors": [16 * count for count in writes],
        "read_ms": read_ms,
        "write_ms": write_ms,
        "queue_ms": [a + b for a, b in zip(read_ms, write_ms, strict=True)],
        "in_flight": [0] * n,
        "in_flight_rule": "accounted",
        "fine_ms": [100] * n,
        "slow": [],
        "read_hist": [[90, sum(reads)]],
        "write_hist": [[95, sum(writes)]],
    }
    if term is not None:
        frame["slow"] = [
            {
                "term": term,
                "threshold_ms": 15,
                "read_lo": [0] * n,
                "read_est": [0] * n,
                "read_hi": [0] * n,
                "write_lo": [0] * n,
                "write_est": slow,
                "write_hi": slow,
                "covered_est": [a + b for a, b in zip(reads, writes, strict=True)],
                "excess_lo": [0] * n,
                "excess_hi": [0] * n,
                "pool_start": 0,
                "lost_ms": [0] * n,
            }
        ]
    return {**frame, **change}
