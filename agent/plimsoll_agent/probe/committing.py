"""`probe --fsync`: commits a second alone, beside a flood of buffered writes, with several writers."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from . import fsync
from .progress import progress
from .sending import Telling
from .target import MIB, Refused

FLOOD_BYTES = 1024 * MIB


def run(options: argparse.Namespace, result: Telling) -> int:
    """0; a rate is no promise. Raises Refused, OSError."""
    if Path(options.target).is_block_device():
        raise Refused(f"{options.target} is a device: fsync is a file system's, name a file in it")
    runs = {
        "alone": (1, 0),
        "beside_flood": (1, FLOOD_BYTES),
        "several_writers": (fsync.WRITERS, 0),
    }
    figures = {}
    for number, (name, (writers, flood)) in enumerate(runs.items()):
        progress(number, writers, options.seconds)
        figures[name] = fsync.measure(options.target, options.seconds, writers, flood)
    progress(len(runs), None, 0)
    result.send("fsync", record_bytes=fsync.RECORD, **figures)
    if options.json:
        print(json.dumps({"target": options.target, "record_bytes": fsync.RECORD, **figures}))
        return 0
    for name, one in figures.items():
        print(
            f"{name.replace('_', ' '):16} {one['commits_per_s']:9.1f} commits/s, mean {one['mean_ms']} ms, "
            f"p99 {one['p99_ms']} ms, worst {one['worst_ms']} ms"
        )
    alone, flooded, several = (figures[name]["commits_per_s"] for name in runs)
    part = f"{flooded / alone:.0%} of that" if alone else "none"
    print(
        f"A log-writing database commits {alone:.0f} times a second here, {part} beside a flood of buffered "
        f"writes; {fsync.WRITERS} logs at once get {several:.0f} together, the slowest "
        f"{figures['several_writers']['slowest_writer_per_s']:.0f}."
    )
    return 0
