"""Which disks does the machine have now, and which file says what each one did most cheaply?"""

from __future__ import annotations

import os
from collections.abc import Sequence

from . import choose
from .hypervisor.volumes import Volumes
from .kernel import release
from .kernel.blockdev import block_devices
from .kernel.diskstats import read_whole
from .kernel.files import list_names
from .policy import Policy
from .readings import Readings
from .settings import Settings
from .watch import Watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .core.terms import Term
    from .hypervisor.guests import Guest
    from .kernel.blockdev import BlockDevice

# One /sys/block/X/stat costs as much as about three lines of /proc/diskstats (measured: 1.9 and 0.7 us).
STAT_COSTS_LINES = 3


class Lookout:
    """The disks under watch. `by_stat`: each has its own file; else one /proc/diskstats answers for all."""

    __slots__ = ("_kernel", "_names", "_settings", "by_stat", "fd", "readings", "volumes", "watches")

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._kernel = release.release_of(settings.proc)
        self._names: list[str] = []
        self.watches: list[Watch] = []
        self.readings = Readings()
        self.volumes = Volumes(settings.disk_map)
        self.by_stat = True
        self.fd = -1

    def changed(self) -> bool:
        """Did a device come or go? Names only, a few microseconds."""
        return list_names(self._settings.sys + "/block") != self._names

    def look(self, policy: Policy) -> tuple[list[Watch], list[Watch]]:
        """Look at all devices anew. Answers (the new ones, those that are gone); `watches` holds the present ones.

        A disk under the same name with another identity is a new disk, and the old one is gone. A device that is a
        guest's disk is not this machine's own.
        """
        sys = self._settings.sys
        self._names = list_names(sys + "/block")
        devices = block_devices(sys, release.version_of(self._kernel))
        pairs: list[tuple[BlockDevice, Guest | None]] = []
        if self._settings.disk_map:
            pairs += self.volumes.found(devices, policy.guests)
        lent = self.volumes.lent()
        own = choose.choose(devices, self._settings.devices, sys).picked
        pairs += [(disk, None) for disk in own if disk.device not in lent]
        known = {watch.identity(): watch for watch in self.watches}
        watches, new = [], []
        for disk, guest in pairs:
            terms = guest.terms if guest else policy.terms_of(disk.device, disk.serial)
            fresh = Watch(disk, self._kernel, terms, guest)
            watch = known.pop(fresh.identity(), None)
            if watch is None:
                watch = fresh
                new.append(watch)
            watch.guest = guest
            watches.append(watch)
        self.watches = watches
        self._open()
        return new, list(known.values())

    def terms_of(self, watch: Watch, policy: Policy) -> tuple[Term, ...]:
        """What the disk is judged by now."""
        if watch.guest is None:
            return policy.terms_of(watch.device, watch.disk.serial)
        address = watch.guest.address
        return next((guest.terms for guest in policy.guests if guest.address == address), ())

    def close(self, gone: Sequence[Watch]) -> None:
        """Give back the files of disks that are no more."""
        for watch in gone:
            if watch.fd >= 0:
                os.close(watch.fd)
                watch.fd = -1

    def _open(self) -> None:
        """Every file anew: a stat file of a disk that went and came back answers no longer."""
        self.readings.of([], -1)
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
        self.readings.of(self.watches, -1 if self.by_stat else self.fd)


def _open(path: str) -> int:
    """-1 where it cannot be opened: reading from that fails as from a disk that has gone."""
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1
