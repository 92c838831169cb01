"""Whose disks does the server place on this hypervisor, and which one of them is meant?"""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# A virtio disk tells its guest this much of its serial (VIRTIO_BLK_ID_BYTES).
VIRTIO_SERIAL = 20


class Guest(namedtuple("Guest", "machine hostname device serial wwn terms")):
    """A disk as its own machine knows it: that machine's id and name, device, serial and WWN ("" where it has none),
    and the terms it is judged by."""

    __slots__ = ()

    @property
    def address(self) -> str:
        """What its frames are called on the way: device names alone are the same in every machine."""
        return f"{self.machine}/{self.device}"


class Unmapped(LookupError):
    """No disk, or more than one, fits; the message says what would."""


def by_name(guests: Iterable[Guest], machine: str, disk: str) -> Guest:
    """The disk of the machine of this id or name that has this device, serial or WWN. Raises Unmapped."""
    here = [guest for guest in guests if machine in (guest.machine, guest.hostname)]
    if not here:
        raise Unmapped(f"the server places no machine {machine!r} on this host")
    if len({guest.machine for guest in here}) > 1:
        raise Unmapped(f"several machines are called {machine!r}: give the machine's id")
    wanted = disk.rsplit("/dev/", 1)[-1]
    found = [guest for guest in here if wanted in (guest.device, guest.serial or None, guest.wwn or None)]
    if len(found) != 1:
        there = ", ".join(sorted(guest.device for guest in here))
        many = "several disks" if found else "no disk"
        raise Unmapped(f"{machine} has {many} {disk!r}; it has {there}")
    return found[0]


def by_identity(guests: Sequence[Guest], serial: str | None, wwn: str | None) -> Guest:
    """The disk that has this WWN, else this serial. Raises Unmapped."""
    found = [guest for guest in guests if wwn and guest.wwn == wwn]
    if not found and not serial:
        raise Unmapped("it has no serial: give it one (serial= of its device), or a line in disk_map")
    if not found and serial:
        found = [guest for guest in guests if guest.serial and guest.serial in (serial, serial[:VIRTIO_SERIAL])]
    if not found:
        raise Unmapped(f"no disk of the machines that the server places on this host has the serial {serial!r}")
    if len(found) > 1:
        names = ", ".join(sorted(f"{guest.hostname}/{guest.device}" for guest in found))
        raise Unmapped(f"{names} all have the serial {serial!r}: say in disk_map which one is meant")
    return found[0]
