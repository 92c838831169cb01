"""Recordings: the counters written down as the kernel prints them, and judged later.

A line `@ <monotonic seconds> <unix seconds>`, then the verbatim /proc/diskstats of that moment, repeated.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from typing import IO

from .core.counters import Counters
from .kernel.diskstats import DiskstatsError, lines

NS_PER_S = 1_000_000_000
# A recording holds no sysfs: devices are told apart by their names.
SKIPPED = re.compile(r"^(?:loop|ram|zram|fd|sr|scd|mtdblock)\d+$")
STACKED = re.compile(r"^(?:dm-\d+|md\d.*|bcache\d+|drbd\d+)$")


class RecordingError(ValueError):
    """Text that is no recording; the message names the line."""


class Moment:
    """One reading: monotonic ns, unix ns, and ("major:minor", device, counters) for each line."""

    __slots__ = ("disks", "mono_ns", "unix_ns")

    def __init__(self, mono_ns: int, unix_ns: int, disks: list[tuple[str, str, Counters]]) -> None:
        self.mono_ns = mono_ns
        self.unix_ns = unix_ns
        self.disks = disks


def record(out: IO[bytes], diskstats: str, cadence_ms: int, until: Callable[[], bool]) -> int:
    """Write readings at the cadence until `until()`; answers how many."""
    count = 0
    with open(diskstats, "rb", buffering=0) as kernel:
        period = cadence_ms * 1_000_000
        due = time.monotonic_ns()
        while not until():
            mono, unix = time.monotonic_ns(), time.time_ns()
            kernel.seek(0)
            text = kernel.readall()
            out.write(b"@ %d.%09d %d.%09d\n" % (*divmod(mono, NS_PER_S), *divmod(unix, NS_PER_S)))
            out.write(text if text.endswith(b"\n") else text + b"\n")
            count += 1
            due += period
            behind = time.monotonic_ns() - due
            if behind > 0:
                due += behind // period * period + period
            time.sleep(max(0.0, (due - time.monotonic_ns()) / 1e9))
    out.flush()
    return count


def moments(source: IO[bytes]) -> Iterator[Moment]:
    """The readings of a recording, in order. A last one that was cut off is left out. Raises RecordingError."""
    stamp: tuple[int, int] | None = None
    text: list[bytes] = []
    number = 0
    for number, line in enumerate(source, 1):
        if line.startswith(b"@"):
            if stamp is not None:
                yield _moment(stamp, text, number)
            stamp, text = _stamp(line, number), []
        elif stamp is None:
            if line.strip():
                raise RecordingError(f"line {number} stands before the first @ line: {line[:60]!r}")
        else:
            text.append(line)
    if stamp is not None and text:
        if not text[-1].endswith(b"\n"):
            text.pop()
        yield _moment(stamp, text, number)


def whole_disks(disks: list[tuple[str, str, Counters]], named: set[str]) -> set[str]:
    """Which devices of a reading are whole disks?

    A partition is called after its disk, with a p between where that ends in a digit.

    Where nothing but loop devices, memory or volumes is there, these are taken: whoever recorded them meant them.
    """
    names = {name for _, name, _ in disks}
    if named:
        return names & named
    whole = {name for name in names if not _is_partition(name, names)}
    ordinary = {name for name in whole if not SKIPPED.match(name) and not STACKED.match(name)}
    return ordinary or whole


def _is_partition(name: str, names: set[str]) -> bool:
    stem = name.rstrip("0123456789")
    if stem == name:
        return False
    if stem.endswith("p") and stem[:-1] in names and stem[-2:-1].isdigit():
        return True
    return stem in names and not stem[-1:].isdigit()


def _stamp(line: bytes, number: int) -> tuple[int, int]:
    fields = line.split()
    try:
        if len(fields) != 3 or fields[0] != b"@":
            raise ValueError("not two times after the @")
        return _ns(fields[1]), _ns(fields[2])
    except ValueError as error:
        raise RecordingError(f"line {number}: {error}: {line[:60]!r}") from error


def _ns(text: bytes) -> int:
    """Seconds with any number of decimals, exactly."""
    whole, _, part = text.partition(b".")
    if not whole.isdigit() or (part and not part.isdigit()):
        raise ValueError(f"{text.decode('utf-8', 'replace')!r} is not a time in seconds")
    return int(whole) * NS_PER_S + int((part + b"000000000")[:9])


def _moment(stamp: tuple[int, int], text: list[bytes], number: int) -> Moment:
    try:
        return Moment(stamp[0], stamp[1], list(lines(b"".join(text))))
    except DiskstatsError as error:
        raise RecordingError(f"in the reading before line {number}: {error}") from error
