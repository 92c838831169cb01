"""May this file or device be tested, and may it be written to? Nothing that holds anything is ever written over."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager
from typing import Iterator

from ..kernel.files import list_names, read_all

MIB = 1 << 20
# Where file systems, partition tables, LVM, RAID and LUKS leave their signatures: the front, and the very end.
LOOKED_AT = MIB


class Refused(RuntimeError):
    """Why this target is not tested; the message names it."""


class Target:
    """A file or device that may be tested. `made`: it is ours, and goes when the test is over."""

    __slots__ = ("made", "path", "size")

    def __init__(self, path: str, size: int, *, made: bool) -> None:
        self.path = path
        self.size = size
        self.made = made


@contextmanager
def opened(path: str, size_bytes: int, *, writes: bool, proc: str = "/proc", sys: str = "/sys") -> Iterator[Target]:
    """The target, checked; a file that is not there is made, filled and removed afterwards. Raises Refused."""
    target = _checked(path, size_bytes, writes, proc, sys)
    try:
        if target.made:
            _fill(path, target.size)
        yield target
    finally:
        if target.made and os.path.exists(path):
            os.unlink(path)


def _checked(path: str, size_bytes: int, writes: bool, proc: str, sys: str) -> Target:
    try:
        found = os.stat(path)
    except FileNotFoundError:
        folder = os.path.dirname(os.path.abspath(path))
        if not os.path.isdir(folder):
            raise Refused(f"{folder} is not a folder: the test file cannot be made there") from None
        space = os.statvfs(folder)
        free = space.f_bavail * space.f_frsize
        if free < 2 * size_bytes:
            raise Refused(
                f"{folder} has {free // MIB} MiB left: a test file of {size_bytes // MIB} MiB needs twice its size"
            ) from None
        return Target(path, size_bytes, made=True)
    if stat.S_ISREG(found.st_mode):
        if writes:
            raise Refused(f"{path} is there already and would be written over: name a new file, or test reads only")
        if found.st_size < MIB:
            raise Refused(f"{path} holds {found.st_size} bytes: a file to be read needs 1 MiB at least")
        return Target(path, min(found.st_size, size_bytes), made=False)
    if not stat.S_ISBLK(found.st_mode):
        raise Refused(f"{path} is neither a file nor a block device")
    if writes:
        reason = in_use(found.st_rdev, proc, sys) or _data_on(path)
        if reason:
            raise Refused(f"{path} {reason}: it is not written to")
    return Target(path, min(_size_of(path), size_bytes), made=False)


def in_use(device: int, proc: str = "/proc", sys: str = "/sys") -> str | None:
    """Who uses this block device or a part of it? None: nobody that the kernel knows of."""
    number = f"{os.major(device)}:{os.minor(device)}"
    folder = f"{sys}/dev/block/{number}"
    parts = [name for name in list_names(folder) if os.path.exists(f"{folder}/{name}/partition")]
    if parts:
        return f"has partitions ({', '.join(parts)})"
    holders = list_names(folder + "/holders")
    if holders:
        return f"is part of {', '.join(holders)}"
    for line in (read_all(proc + "/self/mountinfo") or b"").decode("utf-8", "replace").splitlines():
        fields = line.split()
        if len(fields) > 4 and fields[2] == number:
            return f"is mounted at {fields[4]}"
    name = os.path.basename(os.path.realpath(folder))
    for line in (read_all(proc + "/swaps") or b"").decode("utf-8", "replace").splitlines()[1:]:
        if line.split()[0] == f"/dev/{name}":
            return "is swap"
    return None


def _data_on(path: str) -> str | None:
    """A byte that is not zero where signatures stand is taken for one: no list of formats is complete."""
    try:
        # O_EXCL on a device: not while a file system or another program has claimed it (open(2)).
        fd = os.open(path, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC)
    except OSError as error:
        return f"cannot be had alone ({error.strerror})"
    try:
        size = os.lseek(fd, 0, os.SEEK_END)
        for at in (0, max(0, size - LOOKED_AT)):
            if any(os.pread(fd, LOOKED_AT, at)):
                return f"holds data (near byte {at})"
    finally:
        os.close(fd)
    return None


def _size_of(path: str) -> int:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.lseek(fd, 0, os.SEEK_END)
    finally:
        os.close(fd)


def _fill(path: str, size: int) -> None:
    """Random bytes: a file of holes or zeros is answered without the disk by many a volume."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        for _ in range(0, size, MIB):
            os.write(fd, os.urandom(MIB))
        os.fsync(fd)
    finally:
        os.close(fd)
