"""Which devices are billed: whole disks, each medium once, and a reason for everything left out."""

from __future__ import annotations

from collections.abc import Sequence

from .kernel.blockdev import BlockDevice, whole_disk_of

# Memory, files and drives that no storage contract covers; a device named in the settings is taken all the same.
NOT_A_DISK = (
    ("loop", "a file behaving as a disk"),
    ("ram", "memory"),
    ("zram", "compressed memory"),
    ("fd", "a floppy drive"),
    ("sr", "an optical drive"),
    ("scd", "an optical drive"),
    ("mtdblock", "raw flash"),
)
# Logical volumes, arrays and caches: their members are disks with counters of their own.
STACKED = ("dm-", "md", "bcache", "drbd")
MULTIPATH = "mpath-"
# The word for a hypervisor whose own disks are nobody's.
NONE = "none"
MISSING = "named in the settings, but this machine has no such whole disk"


class Choice:
    """`picked` disks in name order, and `skipped` as device name -> reason."""

    __slots__ = ("picked", "skipped")

    def __init__(self) -> None:
        self.picked: list[BlockDevice] = []
        self.skipped: dict[str, str] = {}


def choose(devices: Sequence[BlockDevice], named: Sequence[str], sys: str = "/sys") -> Choice:
    """The disks to watch: those named, or every whole disk that is not made of other ones.

    A named volume replaces its members and the paths of a multipath volume are replaced by it, so that no I/O is
    billed twice. Named ones that do not exist are told as skipped.
    """
    wanted = {name.rsplit("/dev/", 1)[-1].replace("!", "/") for name in named}
    choice = Choice()
    covered = _members(devices, wanted, sys)
    for device in devices:
        reason = _reason(device, wanted, covered)
        if reason is None:
            choice.picked.append(device)
        else:
            choice.skipped[device.device] = reason
    for name in sorted(wanted - {device.device for device in devices} - {NONE}):
        choice.skipped[name] = MISSING
    return choice


def _members(devices: Sequence[BlockDevice], wanted: set[str], sys: str) -> dict[str, str]:
    """Whole disk -> the volume that is billed in its place."""
    slaves = {device.name: [whole_disk_of(sys, slave) for slave in device.slaves] for device in devices}
    covered: dict[str, str] = {}
    for device in devices:
        if device.device in wanted or (not wanted and _is_multipath(device)):
            waiting = list(slaves[device.name])
            while waiting:
                member = waiting.pop()
                if member not in covered:
                    covered[member] = device.device
                    waiting += slaves.get(member, [])
    return covered


def _reason(device: BlockDevice, wanted: set[str], covered: dict[str, str]) -> str | None:
    if device.name in covered:
        return f"its I/O is billed at {covered[device.name]}, which stands on it"
    if wanted:
        return None if device.device in wanted else "not among the devices named in the settings"
    for prefix, what in NOT_A_DISK:
        if device.name.startswith(prefix) and device.name[len(prefix) :].isdigit():
            return what
    if device.hidden:
        return "one path of a multipath device"
    if not device.size_bytes:
        return "empty: its size is 0"
    if device.name.startswith("mmcblk") and not device.name[6:].isdigit():
        return "a boot area, not a disk"
    if device.name.startswith(STACKED) and not _is_multipath(device):
        members = ", ".join(device.slaves) or "other devices"
        return f"stands on {members}: what lies below is billed instead"
    return None


def _is_multipath(device: BlockDevice) -> bool:
    return device.dm_uuid is not None and device.dm_uuid.startswith(MULTIPATH)
