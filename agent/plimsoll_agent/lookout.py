"""Which disks does the machine have now, and how is each one's line of counters read most cheaply?"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from . import choose
from .kernel import release
from .kernel.blockdev import block_devices
from .kernel.files import list_names
from .policy import Policy
from .settings import Settings
from .watch import Watch

# One /sys/block/X/stat costs as much as about three lines of /proc/diskstats (measured: 1.9 and 0.7 us).
STAT_COSTS_LINES = 3


class Lookout:
    """The disks under watch. `by_stat`: each has its own file; else one /proc/diskstats answers for all."""

    __slots__ = ("_kernel", "_names", "_settings", "by_stat", "fd", "watches")

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._kernel = release.release_of(settings.proc)
        self._names: list[str] = []
        self.watches: list[Watch] = []
        self.by_stat = True
        self.fd = -1

    def changed(self) -> bool:
        """Did a device come or go? Names only, a few microseconds."""
        return list_names(self._settings.sys + "/block") != self._names

    def look(self, policy: Policy) -> tuple[list[Watch], list[Watch]]:
        """Look at all devices anew. Answers (the new ones, those that are gone); `watches` holds the present ones.

        A disk under the same name with another identity is a new disk, and the old one is gone.
        """
        sys = self._settings.sys
        self._names = list_names(sys + "/block")
        devices = block_devices(sys, release.version_of(self._kernel))
        picked = choose.choose(devices, self._settings.devices, sys).picked
        known = {watch.disk.identity(): watch for watch in self.watches}
        watches, new = [], []
        for disk in picked:
            watch = known.pop(disk.identity(), None)
            if watch is None:
                watch = Watch(disk, self._kernel, policy.terms_of(disk.device, disk.serial))
                new.append(watch)
            watches.append(watch)
        self.watches = watches
        self._open()
        return new, list(known.values())

    def sample(self, now: int) -> None:
        """Read every disk once; `now` is the monotonic clock just before. A disk that does not answer is forgotten."""
        if self.by_stat:
            self._sample_each(now)
        else:
            self._sample_all(now)

    def _sample_each(self, now: int) -> None:
        pread, mono_ns = os.pread, time.monotonic_ns
        for watch in self.watches:
            try:
                line = pread(watch.fd, 512, 0)
                if line == watch.line:
                    watch.same(now, mono_ns())
                else:
                    watch.take(now, mono_ns(), line, line.split())
            except (OSError, ValueError):  # the disk went, or its driver printed nonsense
                watch.forget()
            now = mono_ns()

    def _sample_all(self, now: int) -> None:
        text = read_whole(self.fd)
        after = time.monotonic_ns()
        lines = text.split(b"\n")
        count = len(lines)
        for watch in self.watches:
            line = lines[watch.index] if watch.index < count else b""
            if line == watch.line and line:
                watch.same(now, after)
                continue
            if not line.startswith(watch.prefix):
                # Lines move when a device comes or goes.
                watch.index = next((at for at, other in enumerate(lines) if other.startswith(watch.prefix)), count)
                line = lines[watch.index] if watch.index < count else b""
            try:
                watch.take(now, after, line, line.split()[3:])
            except ValueError:  # no line, or nonsense
                watch.forget()

    def close(self, gone: Sequence[Watch]) -> None:
        """Give back the files of disks that are no more."""
        for watch in gone:
            if watch.fd >= 0:
                os.close(watch.fd)
                watch.fd = -1

    def _open(self) -> None:
        """Every file anew: a stat file of a disk that went and came back answers no longer."""
        self.close(self.watches)
        if self.fd < 0:
            self.fd = _open(self._settings.proc + "/diskstats")
        count = read_whole(self.fd).count(b"\n") if self.fd >= 0 else 0
        self.by_stat = self.fd < 0 or len(self.watches) * STAT_COSTS_LINES <= count
        for watch in self.watches:
            watch.index = 0
            major, _, minor = (watch.disk.number or ":").partition(":")
            # As the kernel prints it: "%4d %7d %s " (diskstats_show).
            watch.prefix = f"{major:>4} {minor:>7} {watch.device} ".encode()
            if self.by_stat:
                watch.fd = _open(watch.disk.path + "/stat")


def _open(path: str) -> int:
    """-1 where it cannot be opened: reading from that fails as from a disk that has gone."""
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


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
