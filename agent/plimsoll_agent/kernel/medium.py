"""What is behind a disk's name: vendor and model, a RAID controller, the state of an md array.

Kernel: Documentation/ABI/stable/sysfs-block, Documentation/admin-guide/md.rst (level, degraded, sync_action). Vendor
and model are the device's own words (SCSI INQUIRY, NVMe IDENTIFY).
"""

from __future__ import annotations

from .files import list_names, read_int, read_text

# What controllers that hide their disks call their volumes.
CONTROLLERS = (
    ("perc", "Dell PERC"),
    ("megaraid", "Broadcom MegaRAID"),
    ("mr9", "Broadcom MegaRAID"),
    ("smart array", "HPE Smart Array"),
    ("logical volume", "HPE Smart Array"),
    ("serveraid", "ServeRAID"),
    ("adaptec", "Adaptec"),
    ("areca", "Areca"),
    ("arc-", "Areca"),
    ("3ware", "3ware"),
)


class Array:
    """An md array: its level, how many members it lacks, and what it does beside its work ("idle" if nothing)."""

    __slots__ = ("action", "degraded", "device", "level", "members")

    def __init__(self, device: str, level: str, degraded: int, action: str, members: list[str]) -> None:
        self.device = device
        self.level = level
        self.degraded = degraded
        self.action = action
        self.members = members


def model_of(path: str) -> str | None:
    """ "SEAGATE ST4000NM0023", or None where the device has no words for itself (virtio)."""
    words = [read_text(f"{path}/device/{name}") for name in ("vendor", "model")]
    # virtio's vendor is a number of the PCI bus.
    told = [" ".join(word.split()) for word in words if word is not None and not word.startswith("0x")]
    return " ".join(told) or None


def controller_of(path: str) -> str | None:
    """The make of the RAID controller that the disk's own words give away."""
    model = (model_of(path) or "").lower()
    return next((name for word, name in CONTROLLERS if word in model), None)


def arrays(sys: str = "/sys") -> list[Array]:
    """All md arrays."""
    found = []
    for name in list_names(sys + "/block"):
        folder = f"{sys}/block/{name}/md"
        level = read_text(folder + "/level")
        if level is not None:
            action = read_text(folder + "/sync_action") or "idle"
            members = list_names(f"{sys}/block/{name}/slaves")
            found.append(Array(name, level, read_int(folder + "/degraded") or 0, action, members))
    return found
