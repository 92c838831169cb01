"""What did the block layer count: /proc/diskstats and /sys/block/*/stat.

Kernel: Documentation/admin-guide/iostats.rst and Documentation/block/stat.rst. After major, minor and name come
17 counters (since 5.5), 15 (4.18, no flushes), 11 (2.6, no discards) or, for partitions before 2.6.25, 4.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from ..core.counters import Counters

NO_FLUSHES = (None,) * 2
NO_DISCARDS = (None,) * 6


class DiskstatsError(ValueError):
    """A line that no kernel prints; the message holds it."""


def counters_of(fields: Sequence[bytes]) -> Counters:
    """The 17 counters in kernel order from the columns after the name; None where this vintage has no such field.

    More than 17 columns (a kernel to come) are cut: what is known stays true. Raises DiskstatsError.
    """
    try:
        values = tuple(map(int, fields))
    except ValueError as error:
        raise DiskstatsError(f"not a number among the counters {b' '.join(fields)!r}") from error
    count = len(values)
    if count >= 17:
        return values[:17]
    if count in (15, 16):
        return values[:15] + NO_FLUSHES
    if 11 <= count < 15:
        return values[:11] + NO_DISCARDS
    if count == 4:
        read_ios, read_sectors, write_ios, write_sectors = values
        return (read_ios, None, read_sectors, None, write_ios, None, write_sectors, None) + (None,) * 9
    raise DiskstatsError(f"{count} counters, expected 4, 11, 15 or 17: {b' '.join(fields)!r}")


def lines(text: bytes) -> Iterator[tuple[str, str, Counters]]:
    """("major:minor", device name, counters) for every line. Raises DiskstatsError naming the line."""
    for line in text.split(b"\n"):
        fields = line.split()
        if not fields:
            continue
        if len(fields) < 4:
            raise DiskstatsError(f"too short for a diskstats line: {line!r}")
        try:
            number = f"{int(fields[0])}:{int(fields[1])}"
        except ValueError as error:
            raise DiskstatsError(f"no device number in front of {line!r}") from error
        yield number, fields[2].decode("utf-8", "replace"), counters_of(fields[3:])


def read_whole(fd: int) -> bytes:
    """All of an open /proc/diskstats.

    The kernel hands out whole lines, at most a page a read, and a line is far under 400 bytes: a read that leaves so
    much room was the last one.
    """
    text = os.pread(fd, 65536, 0)
    last = len(text)
    while last > 4096 - 400:
        more = os.pread(fd, 65536, len(text))
        last = len(more)
        text += more
    return text
