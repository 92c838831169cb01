"""What is this block device: its identity, size, queue and what it stands on, from /sys/block.

Kernel: Documentation/ABI/stable/sysfs-block, Documentation/ABI/testing/sysfs-nvme, sysfs-bus-scsi (vpd_pg80, wwid).
"""

from __future__ import annotations

from .files import list_names, read_bytes, read_int, read_text

# Identifiers that name one medium in the world; "t10." and "nvme." ones repeat vendor and serial, which may be shared.
WORLD_WIDE = ("naa.", "eui.", "uuid.")
# They count jiffies per I/O, and older kernels count an I/O at its start (semantics §3).
BIO_BASED = ("dm-", "md", "drbd", "zram", "pmem", "bcache", "ram")
# Since 5.0 every request-based driver has an mq folder; before, its absence says nothing.
MQ_ONLY_SINCE = (5, 0)


class BlockDevice:
    """One entry of /sys/block. `name` as in sysfs (with !), `device` as in /proc/diskstats (with /)."""

    __slots__ = (
        "bio_based",
        "device",
        "diskseq",
        "dm_uuid",
        "hidden",
        "name",
        "nr_requests",
        "number",
        "path",
        "removable",
        "rotational",
        "scheduler",
        "serial",
        "size_bytes",
        "slaves",
        "write_cache",
        "wwn",
    )

    def __init__(self, name: str, path: str, kernel: tuple[int, int]) -> None:
        self.name = name
        self.path = path
        self.device = name.replace("!", "/")
        self.number = read_text(path + "/dev")
        # The size is in 512-byte sectors whatever the medium's own block is.
        sectors = read_int(path + "/size")
        self.size_bytes = None if sectors is None else sectors * 512
        wwid = read_text(path + "/wwid") or read_text(path + "/device/wwid")
        self.wwn = wwid if wwid is not None and wwid.startswith(WORLD_WIDE) else None
        self.serial = _serial(path, wwid)
        self.rotational = _flag(read_int(path + "/queue/rotational"))
        self.scheduler = _chosen(read_text(path + "/queue/scheduler"))
        self.write_cache = read_text(path + "/queue/write_cache")
        self.nr_requests = read_int(path + "/queue/nr_requests")
        self.removable = read_int(path + "/removable") == 1
        self.hidden = read_int(path + "/hidden") == 1
        self.diskseq = read_int(path + "/diskseq")
        self.dm_uuid = read_text(path + "/dm/uuid")
        self.slaves = list_names(path + "/slaves")
        has_queue = "mq" in list_names(path)
        self.bio_based = not has_queue and (name.startswith(BIO_BASED) or kernel >= MQ_ONLY_SINCE)

    def identity(self) -> tuple[object, ...]:
        """What must stay equal for the counters to be the same disk's: a re-attached disk has a new diskseq."""
        return (self.device, self.number, self.diskseq, self.serial, self.wwn)


def block_devices(sys: str, kernel: tuple[int, int]) -> list[BlockDevice]:
    """Every device of /sys/block: whole disks only, partitions live inside their disk's folder."""
    folder = sys + "/block"
    return [BlockDevice(name, f"{folder}/{name}", kernel) for name in list_names(folder)]


def whole_disk_of(sys: str, name: str) -> str:
    """The whole disk a partition belongs to (sda2 -> sda), or `name` itself."""
    if read_text(f"{sys}/block/{name}/dev") is not None:
        return name
    for disk in list_names(sys + "/block"):
        if name.startswith(disk) and read_int(f"{sys}/block/{disk}/{name}/partition") is not None:
            return disk
    return name


def _serial(path: str, wwid: str | None) -> str | None:
    plain = read_text(path + "/serial") or read_text(path + "/device/serial")
    if plain is not None:
        return plain
    page = read_bytes(path + "/device/vpd_pg80")
    if page is not None and len(page) > 4:
        # SPC-4 7.8.10: four bytes of header, the serial in ASCII padded with blanks.
        text = page[4 : 4 + int.from_bytes(page[2:4], "big")].decode("ascii", "replace").strip(" \0")
        if text:
            return text
    if wwid is not None and not wwid.startswith(WORLD_WIDE):
        return " ".join(wwid.split())
    return read_text(path + "/dm/uuid") or read_text(path + "/md/uuid")


def _flag(value: int | None) -> bool | None:
    return None if value is None else value == 1


def _chosen(text: str | None) -> str | None:
    """The bracketed word of "none [mq-deadline] kyber"."""
    if text is None:
        return None
    begin, end = text.find("["), text.find("]")
    return text[begin + 1 : end] if 0 <= begin < end else text
