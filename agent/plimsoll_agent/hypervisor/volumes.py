"""Which block devices of this hypervisor are its guests' disks: logical volumes, zvols, rbd images, whole drives."""

from __future__ import annotations

import os

from .guests import Guest, Unmapped, by_name
from .map_file import MapFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import List

    from ..kernel.blockdev import BlockDevice

DEV = "/dev/"


class Volumes:
    """The block devices among the mapping's lines. `words`: a sentence about each that cannot be watched."""

    __slots__ = ("file", "words")

    def __init__(self, path: str) -> None:
        self.file = MapFile(path)
        self.words: List[str] = []

    def lent(self) -> set[str]:
        """Kernel names of all that the lines name: whether or not the guest is known, it is not this host's own."""
        self.file.renewed()
        return {kernel_name(line.source) for line in self.file.lines if not line.is_drive}

    def found(self, devices: Sequence[BlockDevice], guests: Sequence[Guest]) -> List[tuple[BlockDevice, Guest]]:
        """Those that are here, each with the guest's disk it is; one device is never two disks, nor the reverse."""
        self.file.renewed()
        self.words = [self.file.error] if self.file.error else []
        by_device = {device.device: device for device in devices}
        pairs: List[tuple[BlockDevice, Guest]] = []
        taken: dict[str, int] = {}
        for line in self.file.lines:
            if line.is_drive:
                continue
            where = f"{self.file.path}:{line.number}: "
            name = kernel_name(line.source)
            device = by_device.get(name)
            if device is None:
                self.words.append(f"{where}this host has no block device {line.source!r}")
                continue
            try:
                guest = by_name(guests, line.machine, line.disk)
            except Unmapped as error:
                self.words.append(f"{where}{error}")
                continue
            double = [taken[word] for word in (name, guest.address) if word in taken]
            if double:
                self.words.append(
                    f"{where}{line.source} is the device, or leads to the disk, of line {double[0]} already"
                )
                continue
            taken[name] = taken[guest.address] = line.number
            pairs.append((device, guest))
        return pairs


def kernel_name(source: str) -> str:
    """The name in /proc/diskstats of a path under /dev (links are followed: /dev/vg0/root is dm-3), or of itself."""
    if not source.startswith(DEV):
        return source
    return os.path.realpath(source).rsplit(DEV, 1)[-1]
