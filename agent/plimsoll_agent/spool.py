"""The frames that the server does not have yet: one file each, in the form in which they are sent.

The name tells all that housekeeping needs, so that a folder of a week's frames is bounded from one listing:
START-N-DEVICE-BYTES.frame. A file is written beside its place and renamed: kill -9 leaves a whole frame or none.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from . import msgpack
from .core import layout
from .frames import ENVELOPE
from .kernel.files import list_names, read_all
from .state import write_atomically

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .frames import Frame

SUFFIX = ".frame"
REASON = ".reason"
# What a file takes on common file systems: the bound is on disk space, not on contents.
BLOCK = 4096
# Refused frames are for people to look at: enough to see a pattern.
MOST_REJECTED = 200


class Entry:
    """One spooled frame, from its file's name."""

    __slots__ = ("device", "n", "path", "size", "start")

    def __init__(self, folder: str, name: str) -> None:
        """Raises ValueError for a name that this module has not made."""
        start, n, rest = name[: -len(SUFFIX)].split("-", 2)
        device, _, size = rest.rpartition("-")
        self.path = f"{folder}/{name}"
        self.start = int(start)
        self.n = int(n)
        self.device = device
        self.size = int(size)

    @property
    def taken(self) -> int:
        """Disk space, in bytes."""
        return -(-self.size // BLOCK) * BLOCK


def put(folder: str, frame: Frame) -> str:
    """Store a frame; its packed form is made here, once. Raises LayoutError, OSError."""
    rest = {name: value for name, value in frame.items() if name not in ENVELOPE}
    packed = msgpack.pack({**{name: frame[name] for name in ENVELOPE}, "body": layout.encode(rest)})
    device = frame["device"].replace("/", "!")
    path = f"{folder}/{frame['start']}-{frame['n']}-{device}-{len(packed)}{SUFFIX}"
    write_atomically(path, packed)
    return path


def entries(folder: str) -> list[Entry]:
    """All spooled frames, oldest first; files of other names are left alone."""
    found = []
    for name in list_names(folder):
        if name.endswith(SUFFIX):
            try:
                found.append(Entry(folder, name))
            except ValueError:
                continue
    return sorted(found, key=lambda entry: (entry.start, entry.device))


def load(entry: Entry) -> bytes | None:
    """A frame's packed bytes. None: gone, or not as long as it was written (a power cut)."""
    raw = read_all(entry.path)
    return raw if raw is not None and len(raw) == entry.size else None


def as_json_form(packed: bytes) -> Frame:
    """The frame with its arrays written out, for a server that wants JSON. Raises MsgpackError, LayoutError."""
    frame: Frame = msgpack.unpack(packed)
    body = frame.pop("body")
    return {**frame, **layout.decode(body, frame["n"])}


def drop(entry: Entry) -> None:
    """The server has it, or it cannot be kept."""
    _unlink(entry.path)


def bound(found: Sequence[Entry], most_bytes: int, oldest: int) -> tuple[list[Entry], int]:
    """Drop the oldest beyond the space allowed and those that began before `oldest`. Answers (kept, dropped)."""
    room = most_bytes
    keep = len(found)
    for entry in reversed(found):
        room -= entry.taken
        if room < 0 or entry.start < oldest:
            break
        keep -= 1
    for entry in found[:keep]:
        drop(entry)
    return list(found[keep:]), keep


def reject(folder: str, entry: Entry, reason: str) -> None:
    """Put a refused frame aside with the server's reason; of too many the oldest go."""
    name = entry.path.rpartition("/")[2]
    os.rename(entry.path, f"{folder}/{name}")
    write_atomically(f"{folder}/{name}{REASON}", reason.encode() + b"\n")
    names = [other for other in list_names(folder) if other.endswith(SUFFIX)]
    for other in names[:-MOST_REJECTED]:
        _unlink(f"{folder}/{other}")
        _unlink(f"{folder}/{other}{REASON}")


def sweep(folder: str) -> None:
    """Remove what a killed writer left half written."""
    for name in list_names(folder):
        if name.endswith(".new"):
            _unlink(f"{folder}/{name}")


def _unlink(path: str) -> None:
    if os.path.exists(path):
        os.unlink(path)
