"""`plimsoll-agent probe`: up to which load does this disk keep a promise, how fast is fsync, and does it lie?"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any, Callable

from ..settings import Settings
from . import committing, durability, engine, fio, lasting, sending
from .limits import Limits
from .progress import progress
from .steps import Promise, Step, next_concurrency, table, tipping_point
from .target import MIB, Refused, opened

FINE, BAD, IMPOSSIBLE = 0, 1, 2
# A step shorter than this says nothing about one I/O in a hundred.
LEAST_SECONDS = 0.2
SECONDS = 5.0


def add_arguments(sub: argparse.ArgumentParser) -> None:
    """The flags of the command."""
    sub.add_argument(
        "target", nargs="?", default="", help="a new file on the disk to be tested, or a device without data"
    )
    sub.add_argument("--json", action="store_true", help="one JSON object")
    sub.add_argument("--seconds", type=float, help="how long a step lasts (5), or --durability at most")
    kinds = sub.add_mutually_exclusive_group()
    kinds.add_argument("--fsync", action="store_true", help="commits a second: alone, beside a flood, several writers")
    kinds.add_argument(
        "--durability", action="store_true", help="write and fsync numbered blocks, each told off the machine"
    )
    kinds.add_argument("--verify", action="store_true", help="after a power cut: is every acknowledged block there?")
    kinds.add_argument("--upload", metavar="FILE", help="send a result that was saved")
    sub.add_argument("--acks", help="who keeps the acknowledgements: server (where one is), - (stdout), or a file")
    sub.add_argument("--id", default="", help="which test --verify is about (the newest of that file)")
    sub.add_argument("--disk", default="", help="the disk that it is about, where that cannot be seen")
    sub.add_argument("--save", metavar="FILE", help="keep the result there as well, for --upload")
    sub.add_argument("--no-upload", action="store_true", help="keep the result to yourself")
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


def probe(options: argparse.Namespace, settings: Callable[[], Settings]) -> int:
    """Exit codes: 0 the promise holds and nothing is missing, 1 it does not, 2 the test cannot be made.

    `settings`: the agent's, read only where something is to be told to its server.
    """
    try:
        if options.upload:
            return FINE if sending.upload(options.upload, settings) else BAD
        _check(options)
        if options.durability:
            return lasting.write(options, settings)
        if options.verify:
            return lasting.verify(options, settings)
        options.seconds = options.seconds or SECONDS
        result = sending.Telling(options, settings)
        return committing.run(options, result) if options.fsync else _steps(options, result)
    except (Refused, fio.FioError, durability.AcksError, OSError) as error:
        print(f"plimsoll-agent: {error}", file=sys.stderr)
        return IMPOSSIBLE


def _check(options: argparse.Namespace) -> None:
    if not options.target:
        raise Refused("name a new file on the disk to be tested, or a device")
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
        if value is not None and not least <= value <= most:
            raise Refused(f"--{name.replace('_', '-')} must lie between {least} and {most}, not {value}")
    if options.block_bytes % 512:
        raise Refused(f"--block-bytes must be a multiple of 512, not {options.block_bytes}")


def _steps(options: argparse.Namespace, result: sending.Telling) -> int:
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
            progress(len(done), concurrency, seconds)
            done.append(run(target, limits, concurrency, seconds))
        progress(len(done), None, 0)
    tip = tipping_point(done, promise)
    figures: dict[str, Any] = {
        "engine": "fio" if by_fio else "own",
        "block_bytes": options.block_bytes,
        "write_percent": options.write_percent,
        "slow_ms": options.slow_ms,
        "objective": options.objective / 100,
        "iops": options.iops,
        "steps": [step.told(promise) for step in done],
        "stopped": stopped,
    }
    if options.json:
        told = {"target": options.target, **figures, "tipping_point": None if tip is None else tip.told(promise)}
        print(json.dumps(told))
    else:
        print(table(done, promise))
        print(_verdict(tip, done, promise, options))
        if stopped:
            print(f"Ended early: {stopped}.")
    result.send("steps", **figures)
    return FINE if tip is not None and (not promise.iops or tip.iops >= promise.iops) else BAD


def _verdict(tip: Step | None, done: list[Step], promise: Promise, options: argparse.Namespace) -> str:
    words = f"{options.objective:g}% under {options.slow_ms:g} ms"
    if tip is None:
        return f"Not even one I/O at a time keeps {words}."
    broken = any(not step.meets(promise) for step in done)
    text = f"It keeps {words} up to {tip.iops:.0f} IOPS with {tip.concurrency} in flight"
    return f"{text}, and breaks it beyond." if broken else f"{text}; no load that was tried breaks it."
