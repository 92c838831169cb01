"""What do the counters say just now? Read on time, kept as it came, and worked on once a second.

A process that wakes up for a moment finds cold caches: what it touches then costs ten times what it costs in a row
(measured: a sample's arithmetic takes 60 us at each waking and 6 us among a hundred). So a waking only reads.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from .kernel.diskstats import read_whole
from .watch import Watch

# What lies here between two looks: a second of one disk is 20 KB at 10 ms, and a machine with many disks looks earlier.
MOST_BYTES = 128 << 10
GONE = b""


class Readings:
    """The texts since the last look, each between two stamps of the monotonic clock."""

    __slots__ = ("_bytes", "_fd", "_fds", "_kept", "_last", "_watches")

    def __init__(self) -> None:
        self._kept: list[tuple[int, int, bytes]] = []
        self._bytes = 0
        self._last = GONE
        self.of([], -1)

    def of(self, watches: Sequence[Watch], fd: int) -> None:
        """What to read from now on: each disk's own file, or where `fd` is one, /proc/diskstats for all."""
        self.settle()
        self._watches = watches
        self._fd = fd
        self._fds = [] if fd >= 0 else [watch.fd for watch in watches]

    def take(self, now: int) -> None:
        """Read every disk once; `now` is the monotonic clock just before."""
        pread, mono_ns, kept = os.pread, time.monotonic_ns, self._kept
        if self._fd >= 0:
            text = read_whole(self._fd)
            after = mono_ns()
            if text == self._last:
                text = self._last  # an idle second is kept once
            else:
                self._last = text
                self._bytes += len(text)
            kept.append((now, after, text))
        else:
            for fd in self._fds:
                try:
                    text = pread(fd, 512, 0)
                except OSError:  # the disk went
                    text = GONE
                after = mono_ns()
                kept.append((now, after, text))
                self._bytes += len(text)
                now = after
        if self._bytes > MOST_BYTES:
            self.settle()

    def settle(self) -> None:
        """Work on all that was read. A disk that did not answer is forgotten."""
        kept = self._kept
        if not kept:
            return
        self._kept = []
        self._bytes = 0
        if self._fd >= 0:
            for now, after, text in kept:
                self._settle_all(now, after, text)
            return
        count = len(self._watches)
        for place, watch in enumerate(self._watches):
            for now, after, line in kept[place::count]:
                if line == watch.line and line:
                    watch.same(now, after)
                    continue
                try:
                    watch.take(now, after, line, line.split())
                except ValueError:  # it went, or its driver printed nonsense
                    watch.forget()

    def _settle_all(self, now: int, after: int, text: bytes) -> None:
        lines = text.split(b"\n")
        count = len(lines)
        for watch in self._watches:
            line = lines[watch.index] if watch.index < count else GONE
            if line == watch.line and line:
                watch.same(now, after)
                continue
            if not line.startswith(watch.prefix):
                # Lines move when a device comes or goes.
                watch.index = next((at for at, other in enumerate(lines) if other.startswith(watch.prefix)), count)
                line = lines[watch.index] if watch.index < count else GONE
            try:
                watch.take(now, after, line, line.split()[3:])
            except ValueError:  # no line, or nonsense
                watch.forget()
