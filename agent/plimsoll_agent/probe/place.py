"""On which of this machine's disks does a file or device lie? Through partitions, volumes and arrays, by sysfs."""

from __future__ import annotations

import os
import stat

from ..inventory import disks_of
from ..kernel.files import list_names, read_all
from .target import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Set

    from ..kernel.blockdev import BlockDevice
    from ..settings import Settings


def disk_under(path: str, settings: Settings, named: str = "") -> BlockDevice:
    """The watched disk that holds `path` (which need not be there yet), or the one `named`. Raises Refused."""
    watched = {disk.name: disk for disk in disks_of(settings)}
    if named:
        found = watched.get(named.rsplit("/dev/", 1)[-1].replace("/", "!"))
        if found is None:
            raise Refused(f"{named} is no disk that the agent watches here ({', '.join(watched) or 'it watches none'})")
        return found
    below = _below(_block_name(path, settings), settings.sys, set(watched))
    if len(below) != 1:
        many = f"several disks ({', '.join(sorted(below))})" if below else "no disk that the agent watches"
        raise Refused(f"{path} lies on {many}: name the one it is about with --disk")
    return watched[below.pop()]


def _block_name(path: str, settings: Settings) -> str:
    """The kernel's name of the block device that a path is, or lies on; "" where there is none (a network's)."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        found = os.stat(os.path.dirname(os.path.abspath(path)))
    number = found.st_rdev if stat.S_ISBLK(found.st_mode) else found.st_dev
    if not os.major(number):
        number = _source_of(number, settings.proc)  # btrfs and the like count under a number of their own
    folder = os.path.realpath(f"{settings.sys}/dev/block/{os.major(number)}:{os.minor(number)}")
    if not os.path.isdir(folder):
        return ""
    return os.path.basename(os.path.dirname(folder) if os.path.exists(folder + "/partition") else folder)


def _source_of(number: int, proc: str) -> int:
    """The device that proc_pid_mountinfo(5) names as a file system's source. 0: it names none."""
    wanted = f"{os.major(number)}:{os.minor(number)}"
    for line in (read_all(proc + "/self/mountinfo") or b"").decode("utf-8", "replace").splitlines():
        before, _, after = line.partition(" - ")
        fields, source = before.split(), after.split()
        if len(fields) > 2 and fields[2] == wanted and len(source) > 1 and source[1].startswith("/dev/"):
            try:
                return os.stat(source[1]).st_rdev
            except OSError:
                return 0
    return 0


def _below(name: str, sys: str, watched: Set[str]) -> Set[str]:
    """The watched disks among a device and all it stands on."""
    found: Set[str] = set()
    waiting: List[str] = [name] if name else []
    seen: Set[str] = set()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        if one in watched:
            found.add(one)
            continue
        folder = os.path.realpath(f"{sys}/class/block/{one}")
        if os.path.exists(folder + "/partition"):
            waiting.append(os.path.basename(os.path.dirname(folder)))
        waiting += list_names(folder + "/slaves")
    return found
