"""Which guest's disk is each drive of each VM? By the operator's lines first, else by WWN and serial."""

from __future__ import annotations

from collections import namedtuple

from .guests import Guest, Unmapped, by_identity, by_name
from .mapping import DRIVE, Line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Dict, List, Set

    Key = tuple[str, str]


class Seen(namedtuple("Seen", "vm name serial wwn")):
    """A drive as its VM's monitor describes it."""

    __slots__ = ()

    @property
    def key(self) -> tuple[str, str]:
        """Its VM and its name in there."""
        return self.vm, self.name


def assign(seen: Iterable[Seen], lines: Sequence[Line], guests: Sequence[Guest]) -> tuple[Dict[Key, Guest], List[str]]:
    """Drives by key to guests' disks, and a sentence about each that is left out.

    Two drives never stand for one disk, and the drives of one VM that were found by serial never belong to different
    machines: a serial that a guest only claims would else draw another's figures to it.
    """
    drives = sorted(seen)
    said = {line.source: line for line in lines if line.is_drive}
    found: Dict[Key, Guest] = {}
    words: List[str] = []
    by_serial: Dict[str, List[Seen]] = {}
    for drive in drives:
        line = said.get(f"{DRIVE}{drive.vm}/{drive.name}")
        try:
            if line is not None:
                found[drive.key] = by_name(guests, line.machine, line.disk)
            else:
                found[drive.key] = by_identity(guests, drive.serial, drive.wwn)
                by_serial.setdefault(drive.vm, []).append(drive)
        except Unmapped as error:
            words.append(f"{_named(drive)}: {error}" + ("" if line is None else f" (disk_map line {line.number})"))
    for vm, several in by_serial.items():
        machines = sorted({found[drive.key].hostname for drive in several})
        if len({found[drive.key].machine for drive in several}) > 1:
            words.append(f"VM {vm}: by their serials its drives are disks of {', '.join(machines)}: use disk_map")
            _leave_out(found, {drive.key for drive in several})
    owners: Dict[str, List[Key]] = {}
    for key, guest in found.items():
        owners.setdefault(guest.address, []).append(key)
    for keys in owners.values():
        if len(keys) > 1:
            guest = found[keys[0]]
            names = " and ".join(f"{vm}/{name}" for vm, name in sorted(keys))
            words.append(f"{names} would both be {guest.hostname}/{guest.device}: use disk_map")
            _leave_out(found, set(keys))
    return found, words


def _leave_out(found: Dict[Key, Guest], keys: Set[Key]) -> None:
    for key in keys:
        found.pop(key, None)


def _named(drive: Seen) -> str:
    return f"drive {drive.vm}/{drive.name}"
