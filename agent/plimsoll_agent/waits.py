"""Which settings and neighbours make requests wait: each finding in one sentence, with what it does to latency.

Pure reading of procfs and sysfs; what only a span of time shows is looked at for `LOOK_S`.
"""

from __future__ import annotations

import time

from .kernel import dirty, load, machine, medium, odirect, throttle
from .kernel.blockdev import BlockDevice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    Add = Callable[..., None]

OK, WARNING = "ok", "warning"
LOOK_S = 1.0
# An fsync that waits longer for somebody else's flood is one that people call about.
FLOOD_S = 5.0
FEW_REQUESTS = 64
STEAL, PRESSURE = 0.05, 0.10
MIB = 1 << 20


def examine(disks: list[BlockDevice], sys: str, proc: str, virtual: str | None, add: Add, look_s: float) -> None:
    """`virtual`: the word of kernel/identity.py. `add(topic, verdict, text, **figures)` takes each finding."""
    for disk in disks:
        _cache(disk, virtual, add)
        _scheduler(disk, virtual, add)
        _requests(disk, add)
        _controller(disk, add)
    _arrays(disks, sys, add)
    _dirty(disks, proc, add)
    _odirect(proc, add)
    _throttles(disks, sys, add)
    if look_s > 0:
        _moment(proc, add, look_s)


def _cache(disk: BlockDevice, virtual: str | None, add: Add) -> None:
    name, mode = disk.device, disk.write_cache
    if mode == "write through" and disk.rotational and virtual in (None, "none"):
        text = f"The write cache of {name} is off: each synchronous write waits for the platters, 4 to 12 ms a turn."
        add("cache", WARNING, text, device=name, write_cache=mode)
    elif mode is not None:
        what = {
            "write back": "a write is done when the cache has it, and an fsync waits until the cache is empty",
            "write through": "a write is done when the medium has it, and an fsync costs no flush of its own",
        }.get(mode, "what it means is not known")
        add("cache", OK, f"{name} says {mode}: {what}.", device=name, write_cache=mode)


def _scheduler(disk: BlockDevice, virtual: str | None, add: Add) -> None:
    if disk.scheduler == "bfq" and disk.rotational is False:
        text = f"{disk.device} is scheduled by bfq: it keeps the disk idle for up to 8 ms to be fair; none is faster."
        add("scheduler", WARNING, text, device=disk.device, scheduler=disk.scheduler)
    elif disk.scheduler == "none" and disk.rotational and virtual == "none":
        text = f"{disk.device} turns and has no scheduler: requests are not sorted, each pays a seek; use mq-deadline."
        add("scheduler", WARNING, text, device=disk.device, scheduler=disk.scheduler)


def _requests(disk: BlockDevice, add: Add) -> None:
    if disk.nr_requests is not None and disk.nr_requests < FEW_REQUESTS:
        text = f"{disk.device} takes {disk.nr_requests} requests at once: waits for a free one are in no counter."
        add("cap", WARNING, text, device=disk.device, nr_requests=disk.nr_requests)


def _controller(disk: BlockDevice, add: Add) -> None:
    make = medium.controller_of(disk.path)
    if make is not None:
        text = (
            f"{disk.device} is a volume of a RAID controller ({make}): its members' errors, its rebuilds and a dead "
            f"battery of its cache slow it down without a word here; ask its own tool."
        )
        add("raid", OK, text, device=disk.device, controller=make)


def _arrays(disks: list[BlockDevice], sys: str, add: Add) -> None:
    for array in medium.arrays(sys):
        figures: dict[str, Any] = {"device": array.device, "level": array.level}
        if array.degraded:
            text = f"{array.device} ({array.level}) lacks {array.degraded} of its disks: the others do its work."
            add("raid", WARNING, text, **figures, degraded=array.degraded)
        if array.action not in ("idle", "frozen"):
            text = (
                f"{array.device} ({array.level}) is busy with a {array.action}: every request waits behind its reads "
                f"and writes until it is done; sync_speed_max bounds it."
            )
            add("raid", WARNING, text, **figures, action=array.action)


def _dirty(disks: list[BlockDevice], proc: str, add: Add) -> None:
    found = dirty.read(proc)
    if found.limit_bytes is None:
        return
    figures = {"limit_bytes": found.limit_bytes, "background_bytes": found.background_bytes, "set_by": found.set_by}
    size = _size(found.limit_bytes)
    speeds = {disk.device: bps for disk in disks if (bps := load.busy_bps(disk.path))}
    slowest = min(speeds, key=lambda name: speeds[name], default=None)
    if slowest is None:
        add("dirty", OK, f"The dirty limit is {size}; how long that takes, no disk has shown yet.", **figures)
        return
    bps = speeds[slowest]
    seconds = found.limit_bytes / bps
    told = f"The dirty limit is {size}: one flood of writes blocks every fsync for {seconds:.0f} s at the"
    told += f" {bps / 1e6:.0f} MB/s that {slowest} has moved while busy"
    if seconds > FLOOD_S:
        wanted = max(16, bps // MIB)
        advice = f"; set vm.dirty_bytes (sysctl -w vm.dirty_bytes={wanted * MIB} is one second)."
        add("dirty", WARNING, told + advice, **figures, device=slowest, busy_bps=bps, seconds=round(seconds, 1))
    else:
        add("dirty", OK, told + ".", **figures, device=slowest, busy_bps=bps, seconds=round(seconds, 1))


def _odirect(proc: str, add: Add) -> None:
    if odirect.honoured(proc) is False:
        text = "O_DIRECT is ignored here (fs.odirect_enable = 0): direct writes become floods of dirty memory."
        add("odirect", WARNING, text)
    if odirect.fsync_honoured(proc) is False:
        add("odirect", WARNING, "fsync is ignored here (fs.fsync-enable = 0): what was acknowledged may be lost.")
    if odirect.honoured(proc) is None:
        add("odirect", WARNING, "An OpenVZ container: whether O_DIRECT is honoured is the node's secret; ask for it.")


def _throttles(disks: list[BlockDevice], sys: str, add: Add) -> None:
    numbers = {disk.number: disk.device for disk in disks if disk.number}
    for limit in throttle.limits(sys):
        if limit.number in numbers:
            device = numbers[limit.number]
            text = f"Control group {limit.group} limits {device} to {limit.words}: its waits there are in no counter."
            add("cap", WARNING, text, device=device, group=limit.group, limit=limit.words)


def _moment(proc: str, add: Add, look_s: float) -> None:
    begin = machine.read(time.monotonic_ns() // 1000, proc)
    time.sleep(look_s)
    end = machine.read(time.monotonic_ns() // 1000, proc)
    facts = machine.facts_between(begin, end)
    steal, full = facts["steal_ratio"], facts["psi_io_full"]
    tasks = facts["d_state_tasks"]
    if steal is not None and steal > STEAL:
        text = (
            f"{steal:.0%} of the CPU time was taken by the hypervisor just now: a request that is done waits until "
            f"this machine runs again, and looks slower here than on the host."
        )
        add("steal", WARNING, text, steal_ratio=steal)
    if full is not None and full > PRESSURE:
        text = f"All tasks at once waited for I/O in {full:.0%} of the last second."
        add("pressure", WARNING, text, psi_io_full=full)
    iowait, some = facts["iowait_ratio"], facts["psi_io_some"]
    told = [f"{value:.0%} {what}" for value, what in ((iowait, "iowait"), (some, "I/O pressure")) if value is not None]
    told += [] if tasks is None else [f"{tasks:.0f} tasks blocked"]
    if told:
        add("moment", OK, f"Just now: {', '.join(told)}.", iowait_ratio=iowait, psi_io_some=some, d_state_tasks=tasks)


def _size(count: int) -> str:
    return f"{count / 2**30:.1f} GiB" if count >= 1 << 30 else f"{count / MIB:.0f} MiB"
