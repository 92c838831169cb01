"""`probe --durability` and `probe --verify`: numbered blocks, a record off the machine, and what of it is there."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
from pathlib import Path
from typing import Callable

from ..kernel import identity
from ..settings import Settings
from ..transport import NetworkError
from . import durability, outbox, result
from .home import Home, NoHome, say, tell
from .place import disk_under
from .target import Refused
from .witness import Witness, witnessed

SERVER = "server"
STREAM = "-"
# Runs of lost blocks that the server keeps by number.
MOST_RUNS = 1000
NOT_WITNESSED = (outbox.Refusal, outbox.Unavailable, NetworkError)


def write(options: argparse.Namespace, settings: Callable[[], Settings]) -> int:
    """0 once all blocks are acknowledged, 1 where the server does not know of all."""
    end = None if options.seconds is None else time.monotonic() + options.seconds

    def over(number: int) -> bool:
        return number >= options.blocks or (end is not None and time.monotonic() >= end)

    if Path(options.target).is_block_device():
        raise Refused(f"{options.target} is a device: name a new file on it")
    home = _witness(options, settings)
    if home is None:
        with contextlib.ExitStack() as stack:
            acks = sys.stdout.buffer if options.acks == STREAM else stack.enter_context(Path(options.acks).open("xb"))
            count = durability.write(options.target, durability.Lines(acks), over)
        print(f"{count} blocks are acknowledged; now cut the power, and then --verify", file=sys.stderr)
        return 0
    disk = disk_under(options.target, home.settings, options.disk)
    body = result.told(
        "durability",
        disk,
        options.target,
        time.time(),
        target=result.hash_of(options.target),
        boot_id=identity.boot_id(home.settings.proc),
        block_bytes=durability.BLOCK,
    )
    witness = Witness(home, body)
    say(f"test {body['id']} of {disk.device}: cut the power while it runs, then probe --verify")
    try:
        count = durability.write(options.target, witness, over)
    except NOT_WITNESSED as error:
        raise Refused(
            f"the server must record the acknowledgements ({error}); else name a place with --acks"
        ) from error
    if not witness.end():
        say(f"{count - witness.told} of {count} blocks were not told to the server: {witness.trouble}")
        return 1
    print(f"{count} blocks are acknowledged; now cut the power, and then --verify", file=sys.stderr)
    return 0


def verify(options: argparse.Namespace, settings: Callable[[], Settings]) -> int:
    """0 where every acknowledged block is there, 1 where one is not."""
    home = _witness(options, settings)
    restarted: bool | None = None
    if home is None:
        with contextlib.ExitStack() as stack:
            acks = (
                sys.stdin if options.acks == STREAM else stack.enter_context(Path(options.acks).open(encoding="utf-8"))
            )
            run, numbers = durability.acknowledged(acks)
        lost = durability.missing(options.target, run, numbers)
        count = len(numbers)
    else:
        try:
            record = witnessed(home, result.hash_of(options.target), options.id)
        except NOT_WITNESSED as error:
            raise Refused(f"what was acknowledged cannot be asked: {error}") from error
        count = int(record["acknowledged"])
        lost = durability.missing(options.target, str(record["run"]), range(count))
        boot = identity.boot_id(home.settings.proc)
        restarted = boot != record["boot_id"]
        tell(
            home,
            {
                "verdict_of": record["id"],
                "checked_at": round(time.time(), 3),
                "boot_id": boot,
                "acknowledged": count,
                "lost": len(lost),
                "missing": durability.runs_of(lost)[:MOST_RUNS],
            },
        )
    _say(options, count, lost, restarted)
    return 1 if lost else 0


def _say(options: argparse.Namespace, count: int, lost: list[int], restarted: bool | None) -> None:
    if options.json:
        told = {"target": options.target, "acknowledged": count, "missing": lost}
        print(json.dumps(told if restarted is None else {**told, "restarted": restarted}))
        return
    if lost:
        print(f"The disk lies: {len(lost)} of {count} acknowledged blocks are not there: {_ranges(lost)}")
    else:
        print(f"All {count} acknowledged blocks are there.")
    if restarted is False:
        print("The machine has not restarted since: that is what its memory holds, the disk has proved nothing.")


def _ranges(numbers: list[int]) -> str:
    """1-3, 7 of [1, 2, 3, 7]."""
    runs = durability.runs_of(numbers)
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)


def _witness(options: argparse.Namespace, settings: Callable[[], Settings]) -> Home | None:
    """The server, where it is asked for or, with nothing asked, where this machine is enrolled. None: --acks has it."""
    if options.acks not in (None, SERVER):
        return None
    try:
        return Home(settings)
    except NoHome as error:
        if options.acks == SERVER:
            raise Refused(f"the server cannot be the witness: {error}") from error
        options.acks = STREAM
        return None
