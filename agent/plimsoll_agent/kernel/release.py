"""Which promises does this kernel make about its counters: its release and its timer tick.

Kernel: in_flight counts every I/O whose clock runs since 6.16; before, what the driver holds (semantics §3).
"""

from __future__ import annotations

import os

from .files import read_all, read_text

ACCOUNTED_SINCE = (6, 16)
# The slowest tick any distribution builds: true bounds when the configuration cannot be read.
SLOWEST_JIFFY_MS = 10


def version_of(release: str) -> tuple[int, int]:
    """(major, minor) of a release such as "6.1.0-18-amd64"; (0, 0) where it does not begin with two numbers."""
    numbers = []
    for part in release.split(".")[:2]:
        digits = ""
        for char in part:
            if not char.isdigit():
                break
            digits += char
        if not digits:
            return (0, 0)
        numbers.append(int(digits))
    return (numbers[0], numbers[1]) if len(numbers) == 2 else (0, 0)


def in_flight_rule(release: str) -> str:
    """ "accounted" where in_flight may prove something, else "driver"."""
    return "accounted" if version_of(release) >= ACCOUNTED_SINCE else "driver"


def release_of(proc: str = "/proc") -> str:
    """The running kernel's release, from the given /proc so that a fixture can stand in."""
    return read_text(proc + "/sys/kernel/osrelease") or os.uname().release


def jiffy_ms(release: str, boot: str = "/boot") -> int:
    """Length of a timer tick, from CONFIG_HZ of the kernel's configuration; the slowest known if unreadable."""
    config = read_all(f"{boot}/config-{release}")
    if config is None:
        return SLOWEST_JIFFY_MS
    for line in config.split(b"\n"):
        if line.startswith(b"CONFIG_HZ="):
            hz = int(line[10:])
            return max(1, -(-1000 // hz))
    return SLOWEST_JIFFY_MS
