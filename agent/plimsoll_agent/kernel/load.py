"""How fast has a disk moved its data while it was busy? What a flood of writes would take, told by its own past.

Kernel: field 10 of diskstats, the time with any I/O in flight (semantics: no measure of saturation, but a true lower
bound of the time in which the bytes were moved).
"""

from __future__ import annotations

from .diskstats import DiskstatsError, counters_of
from .files import read_bytes

SECTOR_BYTES = 512
# Less than this says nothing about what a disk can do.
ENOUGH_BYTES, ENOUGH_MS = 64 << 20, 500


def busy_bps(path: str) -> int | None:
    """Bytes a second of busy time since the boot, reads and writes, of the disk at /sys/block/X. None: too little."""
    raw = read_bytes(path + "/stat")
    if raw is None:
        return None
    try:
        counters = counters_of(raw.split())
    except DiskstatsError:
        return None
    busy_ms = counters[9] or 0
    moved = ((counters[2] or 0) + (counters[6] or 0)) * SECTOR_BYTES
    return moved * 1000 // busy_ms if busy_ms >= ENOUGH_MS and moved >= ENOUGH_BYTES else None
