"""Which control groups may do only so much I/O? What they wait for it is in no disk's counters.

Kernel: Documentation/admin-guide/cgroup-v2.rst (io.max: `254:0 rbps=max wbps=max riops=500 wiops=max`) and
Documentation/admin-guide/cgroup-v1/blkio-controller.rst (blkio.throttle.*_device: `254:0 500`).
"""

from __future__ import annotations

import os

from .files import read_all

V1 = {
    "blkio.throttle.read_iops_device": "riops",
    "blkio.throttle.write_iops_device": "wiops",
    "blkio.throttle.read_bps_device": "rbps",
    "blkio.throttle.write_bps_device": "wbps",
}
# A container host has thousands of groups, and few with a limit: enough to see what goes on.
MOST_GROUPS, MOST_LIMITS = 20_000, 200


class Limit:
    """One group's limits on one device, such as "riops=500"."""

    __slots__ = ("group", "number", "words")

    def __init__(self, group: str, number: str, words: str) -> None:
        self.group = group
        self.number = number
        self.words = words


def limits(sys: str = "/sys") -> list[Limit]:
    """All limits that are set, of both hierarchies, in the order of their folders."""
    root = sys + "/fs/cgroup"
    found: list[Limit] = []
    for looked, (folder, folders, files) in enumerate(os.walk(root)):
        if looked >= MOST_GROUPS or len(found) >= MOST_LIMITS:
            break
        folders.sort()
        group = folder[len(root) :] or "/"
        if "io.max" in files:
            for number, words in _lines(f"{folder}/io.max"):
                kept = " ".join(word for word in words.split() if not word.endswith("=max"))
                if kept:
                    found.append(Limit(group, number, kept))
        for name in sorted(V1.keys() & set(files)):
            found += [Limit(group, number, f"{V1[name]}={value}") for number, value in _lines(f"{folder}/{name}")]
    return found


def _lines(path: str) -> list[tuple[str, str]]:
    text = (read_all(path) or b"").decode("utf-8", "replace")
    pairs = (line.partition(" ") for line in text.splitlines())
    return [(number, rest.strip()) for number, _, rest in pairs if number and rest.strip()]
