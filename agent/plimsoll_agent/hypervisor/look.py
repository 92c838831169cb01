"""What is there to see of this hypervisor's guests, and why not of the others: sentences for the doctor and --check."""

from __future__ import annotations

import os

from ..kernel import release
from ..kernel.blockdev import block_devices
from ..orders import Orders
from ..qmp import drives
from ..qmp.client import Client, QmpError
from ..settings import Settings
from ..state import StateError, locate
from .assign import Seen, assign
from .libvirt import LibvirtError, Virsh
from .volumes import Volumes
from .watcher import name_of, sockets_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Sequence

    from ..kernel.blockdev import BlockDevice
    from .guests import Guest

    Sentences = List[tuple[bool, str]]

LONGEST_S = 5.0


def sources(settings: Settings) -> Sentences:
    """(well, sentence) about every socket, libvirt, the mapping file, and every drive that leads to no guest's disk.

    Each monitor is asked once, and nothing is set in it.
    """
    if not settings.has_guests:
        return []
    guests = _guests(settings)
    told: Sentences = [_known(guests)]
    volumes = Volumes(settings.disk_map)
    pairs = volumes.found(_devices(settings), guests)
    if settings.disk_map:
        told.append((not volumes.file.error, _map_sentence(volumes)))
    told += [(True, f"{device.device} is {guest.hostname}/{guest.device}.") for device, guest in pairs]
    told += [(False, f"{word}.") for word in volumes.words if word != volumes.file.error]
    seen: List[Seen] = []
    if settings.qmp:
        told += _monitors(settings.qmp, seen)
    if settings.libvirt:
        told.append(_libvirt(settings.libvirt, {one.vm for one in seen}, seen))
    found, words = assign(seen, volumes.file.lines, guests)
    told += [(True, f"{vm}/{name} is {one.hostname}/{one.device}.") for (vm, name), one in sorted(found.items())]
    return told + [(False, f"{word}.") for word in words]


def _guests(settings: Settings) -> Sequence[Guest]:
    try:
        orders = Orders(locate(settings).policy)
    except StateError:
        return ()
    orders.renewed()
    return orders.policy.guests


def _known(guests: Sequence[Guest]) -> tuple[bool, str]:
    if guests:
        machines = _count(len({guest.machine for guest in guests}), "machine")
        return True, f"The server places {machines} with {_count(len(guests), 'disk')} on this host."
    return False, (
        "The server places no machine on this host yet: it takes an agent enrolled with a key for hypervisors, and an "
        "inventory that puts this machine and its guests on the same host."
    )


def _devices(settings: Settings) -> List[BlockDevice]:
    return block_devices(settings.sys, release.version_of(release.release_of(settings.proc)))


def _map_sentence(volumes: Volumes) -> str:
    if volumes.file.error:
        return f"{volumes.file.error}."
    return f"The mapping file {volumes.file.path} has {_count(len(volumes.file.lines), 'line')}."


def _monitors(patterns: List[str], seen: List[Seen]) -> Sentences:
    paths = sockets_of(patterns)
    if not paths:
        return [(False, f"No QMP socket is found at {', '.join(patterns)}: no VM runs, or {_readable(patterns)}.")]
    told: Sentences = []
    for path in paths:
        try:
            name = name_of(path)
            with Client(path, 0.8) as client:
                found = drives.read(client)
        except QmpError as error:
            told.append((False, f"{error}."))
            continue
        seen += [Seen(name, one.name, one.serial, one.wwn) for one in found.values()]
        names = ", ".join(f"{one.name} (serial {one.serial or 'none'})" for one in found.values())
        told.append((True, f"{path} answers: VM {name} with {names or 'no drive'}."))
    return told


def _readable(patterns: List[str]) -> str:
    folders = sorted({os.path.dirname(pattern.partition("*")[0]) for pattern in patterns})
    closed = [folder for folder in folders if not os.access(folder, os.R_OK | os.X_OK)]
    return (
        f"{', '.join(closed)} is not there or not open to this user"
        if closed
        else "it has no such socket (-qmp unix:…)"
    )


def _libvirt(address: str, exact: set[str], seen: List[Seen]) -> tuple[bool, str]:
    try:
        virsh = Virsh(address)
        disks = virsh.disks(LONGEST_S)
        for vm, named in disks.items():
            if vm not in exact:
                known = virsh.identities(vm, LONGEST_S)
                seen += [Seen(vm, name, *known.get(name, (None, None))) for name in named]
    except LibvirtError as error:
        return False, f"libvirt gives nothing: {error}."
    found = f"{_count(len(disks), 'VM')} with {_count(sum(map(len, disks.values())), 'disk')}"
    return True, f"libvirt at {address} tells of {found}: sums, evidence of grade C."


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
