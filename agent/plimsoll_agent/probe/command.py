"""`plimsoll-agent probe`: up to which load does this disk keep a promise, how fast is fsync, and does it lie?"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
from pathlib import Path
from typing import Any

from . import durability, engine, fio, fsync
from .limits import Limits
from .steps import Promise, Step, next_concurrency, table, tipping_point
from .target import MIB, Refused, opened

FINE, BAD, IMPOSSIBLE = 0, 1, 2
BAR = 30
# A step shorter than this says nothing about one I/O in a hundred.
LEAST_SECONDS = 0.2
FLOOD_BYTES = 1024 * MIB


def add_arguments(sub: argparse.ArgumentParser) -> None:
    """The flags of the command."""
    sub.add_argument(
        "target", help="a new file on the disk to be tested, or a device; what holds data is not written to"
    )
    sub.add_argument("--json", action="store_true", help="one JSON object")
    sub.add_argument("--seconds", type=float, default=5.0, help="how long a step lasts (5)")
    kinds = sub.add_mutually_exclusive_group()
    kinds.add_argument("--fsync", action="store_true", help="commits a second: alone, beside a flood, several writers")
    kinds.add_argument("--durability", action="store_true", help="write and fsync numbered blocks, telling --acks each")
    kinds.add_argument("--verify", action="store_true", help="after a power cut: is every block of --acks there?")
    sub.add_argument(
        "--acks", default="-", help="where acknowledgements are told: a file, best elsewhere, or - (stdout)"
    )
    sub.add_argument("--blocks", type=int, default=100_000, help="--durability ends after so many (100000)")
    sub.add_argument("--write-percent", type=int, default=0, help="share of writes (0)")
    sub.add_argument("--block-bytes", type=int, default=4096, help="size of one I/O (4096)")
    sub.add_argument("--size-mib", type=int, default=256, help="how much of the target is used (256)")
    sub.add_argument("--max-iops", type=int, default=20_000, help="no more I/Os a second than this (20000)")
    sub.add_argument("--max-gib", type=float, default=20.0, help="no more bytes than this in all (20)")
    sub.add_argument("--slow-ms", type=float, default=15.0, help="the promise: slow is what takes so long (15)")
    sub.add_argument("--objective", type=float, default=99.0, help="the promise: percent that must be faster (99)")
    sub.add_argument(
        "--iops", type=int, default=0, help="the promise: up to this load; 0 looks on for the tipping point"
    )
    sub.add_argument("--engine", choices=("auto", "fio", "own"), default="auto", help="who makes the load (auto)")


def probe(options: argparse.Namespace) -> int:
    """Exit codes: 0 the promise holds and nothing is missing, 1 it does not, 2 the test cannot be made."""
    try:
        _check(options)
        if options.durability:
            return _durability(options)
        if options.verify:
            return _verify(options)
        return _fsync(options) if options.fsync else _steps(options)
    except (Refused, fio.FioError, durability.AcksError, OSError) as error:
        print(f"plimsoll-agent: {error}", file=sys.stderr)
        return IMPOSSIBLE


def _check(options: argparse.Namespace) -> None:
    for name, least, most in (
        ("seconds", LEAST_SECONDS, 600),
        ("write_percent", 0, 100),
        ("block_bytes", 512, 4 * MIB),
        ("size_mib", 1, 1 << 20),
        ("max_iops", 1, 10_000_000),
        ("max_gib", 0.001, 10_000),
        ("slow_ms", 0.01, 100_000),
        ("objective", 1, 99.9999),
        ("iops", 0, 10_000_000),
        ("blocks", 1, 100_000_000),
    ):
        value = getattr(options, name)
        if not least <= value <= most:
            raise Refused(f"--{name.replace('_', '-')} must lie between {least} and {most}, not {value}")
    if options.block_bytes % 512:
        raise Refused(f"--block-bytes must be a multiple of 512, not {options.block_bytes}")


def _steps(options: argparse.Namespace) -> int:
    limits = Limits(
        options.block_bytes, options.write_percent / 100, options.max_iops, options.max_gib * 2**30, options.seconds
    )
    promise = Promise(round(options.slow_ms * 1000), round(options.objective * 10_000), options.iops)
    by_fio = options.engine == "fio" or (options.engine == "auto" and fio.installed())
    run = fio.run if by_fio else engine.run
    done: list[Step] = []
    stopped = None
    with opened(options.target, options.size_mib * MIB, writes=options.write_percent > 0) as target:
        while (concurrency := next_concurrency(done, promise)) is not None:
            seconds = limits.seconds_left(sum(step.ios for step in done))
            if seconds < LEAST_SECONDS:
                stopped = f"--max-gib {options.max_gib} is used up"
                break
            _progress(len(done), concurrency, seconds)
            done.append(run(target, limits, concurrency, seconds))
        _progress(len(done), None, 0)
    tip = tipping_point(done, promise)
    if options.json:
        told: dict[str, Any] = {
            "target": options.target,
            "engine": "fio" if by_fio else "own",
            "block_bytes": options.block_bytes,
            "write_percent": options.write_percent,
            "slow_ms": options.slow_ms,
            "objective": options.objective / 100,
            "steps": [step.told(promise) for step in done],
            "tipping_point": None if tip is None else tip.told(promise),
            "stopped": stopped,
        }
        print(json.dumps(told))
    else:
        print(table(done, promise))
        print(_verdict(tip, done, promise, options))
        if stopped:
            print(f"Ended early: {stopped}.")
    return FINE if tip is not None and (not promise.iops or tip.iops >= promise.iops) else BAD


def _verdict(tip: Step | None, done: list[Step], promise: Promise, options: argparse.Namespace) -> str:
    words = f"{options.objective:g}% under {options.slow_ms:g} ms"
    if tip is None:
        return f"Not even one I/O at a time keeps {words}."
    broken = any(not step.meets(promise) for step in done)
    text = f"It keeps {words} up to {tip.iops:.0f} IOPS with {tip.concurrency} in flight"
    return f"{text}, and breaks it beyond." if broken else f"{text}; no load that was tried breaks it."


def _fsync(options: argparse.Namespace) -> int:
    if Path(options.target).is_block_device():
        raise Refused(f"{options.target} is a device: fsync is a file system's, name a file in it")
    runs = {
        "alone": (1, 0),
        "beside_flood": (1, FLOOD_BYTES),
        "several_writers": (fsync.WRITERS, 0),
    }
    figures = {}
    for number, (name, (writers, flood)) in enumerate(runs.items()):
        _progress(number, writers, options.seconds)
        figures[name] = fsync.measure(options.target, options.seconds, writers, flood)
    _progress(len(runs), None, 0)
    if options.json:
        print(json.dumps({"target": options.target, "record_bytes": fsync.RECORD, **figures}))
        return FINE
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
    return FINE


def _durability(options: argparse.Namespace) -> int:
    end = time.monotonic() + options.seconds if options.seconds != 5.0 else None

    def over(number: int) -> bool:
        return number >= options.blocks or (end is not None and time.monotonic() >= end)

    with contextlib.ExitStack() as stack:
        acks = sys.stdout.buffer if options.acks == "-" else stack.enter_context(Path(options.acks).open("xb"))
        count = durability.write(options.target, acks, over)
    print(f"{count} blocks are acknowledged; now cut the power, and then --verify", file=sys.stderr)
    return FINE


def _verify(options: argparse.Namespace) -> int:
    with contextlib.ExitStack() as stack:
        lines = sys.stdin if options.acks == "-" else stack.enter_context(Path(options.acks).open(encoding="utf-8"))
        run, numbers = durability.acknowledged(lines)
    lost = durability.missing(options.target, run, numbers)
    if options.json:
        print(json.dumps({"target": options.target, "acknowledged": len(numbers), "missing": lost}))
    elif lost:
        print(f"The disk lies: {len(lost)} of {len(numbers)} acknowledged blocks are not there: {_ranges(lost)}")
    else:
        print(f"All {len(numbers)} acknowledged blocks are there.")
    return BAD if lost else FINE


def _ranges(numbers: list[int]) -> str:
    """1-3, 7 of [1, 2, 3, 7]."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)


def _progress(step: int, concurrency: int | None, seconds: float) -> None:
    """A bar on a terminal: which step runs, for how long."""
    if not sys.stderr.isatty():
        return
    if concurrency is None:
        sys.stderr.write("\r" + " " * (BAR + 50) + "\r")
    else:
        bar = "#" * min(BAR, 2 * step + 1)
        sys.stderr.write(f"\r[{bar:{BAR}}] step {step + 1}: {concurrency} in flight for {seconds:.1f} s  ")
    sys.stderr.flush()
