"""The load by fio, where it is installed: its latencies come in fine bins (json+), which fall into R40 buckets."""

from __future__ import annotations

import json
import shutil
import subprocess

from ..core.r40 import bucket_of
from .limits import Limits
from .steps import Step, merged
from .target import Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict


class FioError(RuntimeError):
    """fio could not do it; the message is its last word."""


def installed() -> bool:
    """Is there an fio?"""
    return shutil.which("fio") is not None


def run(target: Target, limits: Limits, concurrency: int, seconds: float) -> Step:
    """One step. Raises FioError."""
    share = round(100 * limits.write_ratio)
    command = {
        "name": "probe",
        "filename": target.path,
        "size": target.size,
        "direct": 1,
        "ioengine": "libaio",
        "iodepth": concurrency,
        "rw": "randread" if share == 0 else "randwrite" if share == 100 else "randrw",
        "bs": limits.block_bytes,
        "time_based": 1,
        "runtime": f"{seconds * 1000:.0f}ms",
        "output-format": "json+",
        "norandommap": 1,
        "group_reporting": 1,
        # fio limits each direction by itself.
        "rate_iops": f"{round(limits.most_iops * (1 - limits.write_ratio)) or 1},"
        f"{round(limits.most_iops * limits.write_ratio) or 1}",
    }
    if 0 < share < 100:
        command["rwmixwrite"] = share
    if not limits.write_ratio:
        command["readonly"] = None  # and fio refuses whatever would write
    words = ["fio", *(f"--{name}" if value is None else f"--{name}={value}" for name, value in command.items())]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=seconds + 60)
    if done.returncode:
        raise FioError((done.stderr or done.stdout).strip()[-300:] or f"fio ended with {done.returncode}")
    # Notes may stand before the document.
    return step_of(json.loads(done.stdout[done.stdout.index("{") :]), concurrency)


def step_of(document: Dict[str, Any], concurrency: int) -> Step:
    """What a json+ document says of one step."""
    job = document["jobs"][0]
    parts, sums = [], []
    for direction in ("read", "write"):
        figures = job[direction]["clat_ns"]
        histogram: Dict[int, int] = {}
        for ns, count in figures.get("bins", {}).items():
            bucket = bucket_of(int(ns) // 1000)
            histogram[bucket] = histogram.get(bucket, 0) + count
        parts.append(histogram)
        sums.append(figures["mean"] * sum(histogram.values()) / 1000)
    return merged(concurrency, job["job_runtime"] / 1000, parts, sums)
