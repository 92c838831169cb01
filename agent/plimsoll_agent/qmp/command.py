"""`plimsoll-agent qmp SOCKET`: what a VM's drives did, as its hypervisor sees it."""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any

from ..core.r40 import merge, percentile_us, slow_between
from . import drives
from .client import Client, QmpError
from .drives import Drive


def add_arguments(sub: argparse.ArgumentParser) -> None:
    """The flags of the command."""
    sub.add_argument("socket", help="the VM's QMP socket (-qmp unix:PATH,server=on,wait=off)")
    sub.add_argument("--seconds", type=float, default=10.0, help="how long to look (10)")
    sub.add_argument("--slow-ms", type=float, default=15.0, help="slow is what takes at least this long (15)")
    sub.add_argument("--json", action="store_true", help="one JSON line per drive")


def look(options: argparse.Namespace) -> int:
    """Exit codes: 0 fine, 1 QEMU does not answer."""
    try:
        with Client(options.socket) as client:
            held = drives.watch(client)
            before, begin = drives.read(client), time.monotonic()
            time.sleep(max(0.0, options.seconds))
            after, elapsed = drives.read(client), time.monotonic() - begin
    except QmpError as error:
        print(f"plimsoll-agent: {error}", file=sys.stderr)
        return 1
    for name, new in after.items():
        did = drives.between(before[name], new) if name in before else None
        told = _told(name, new, did, elapsed, options.slow_ms)
        told["histogram"] = held.get(name)
        print(json.dumps(told) if options.json else _sentence(told))
    return 0


def _told(name: str, drive: Drive, did: Drive | None, seconds: float, slow_ms: float) -> dict[str, Any]:
    told: dict[str, Any] = {"drive": name, "serial": drive.serial, "seconds": round(seconds, 3), "ios": None}
    told |= {"await_ms": None, "p99_ms": None, "slow_low": None, "slow_high": None}
    if did is None:
        return told
    ios = sum(did.ios.values())
    told["ios"] = ios
    told["await_ms"] = round(sum(did.ns.values()) / ios / 1e6, 3) if ios else None
    if did.hists is not None:
        both = merge(did.hists.values())
        told["slow_low"], told["slow_high"] = slow_between(both, round(slow_ms * 1000))
        us = percentile_us(both, 0.99)
        told["p99_ms"] = None if us is None else us / 1000
    return told


def _sentence(told: dict[str, Any]) -> str:
    text = f"{told['drive']} ({told['serial'] or 'no serial'}): "
    if told["ios"] is None:
        return text + "reset or new while it was looked at."
    text += f"{told['ios']} I/Os in {told['seconds']} s, mean {told['await_ms']} ms"
    if told["slow_low"] is None:
        return text + "; another client's histogram is set on it and left alone, so slow ones are not counted."
    low, high = told["slow_low"], told["slow_high"]
    return text + f", p99 {told['p99_ms']} ms; slow {low if low == high else f'{low} to {high}'}."
