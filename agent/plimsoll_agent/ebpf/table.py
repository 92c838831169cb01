"""What has the kernel counted: the table of ebpf/latency.bpf.c, mapped into the sampler and read without a system call.

This process loads neither libbpf nor ctypes. It is handed two open files, the table and the link that keeps the
program attached, by the process that it replaced (cli.py); when it ends, the kernel takes the program away.
"""

from __future__ import annotations

import mmap
import os

from ..core.exact import Exact, Shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# As in agent/ebpf/latency.bpf.c: dev_t of each disk, then for each disk reads and writes by bucket + 1.
DISKS, BUCKETS = 64, 282
HEAD_BYTES = DISKS * 4
DISK_BYTES = 2 * BUCKETS * 8
SIZE = HEAD_BYTES + DISKS * DISK_BYTES
# Of the counters that are compared at once; a disk's second mostly lies in four of these twelve.
STRETCH_BYTES = DISK_BYTES // 12
# A place whose disk has gone: the search ends at the first 0.
GONE = 0xFFFFFFFF
HANDED_OVER = "PLIMSOLL_EBPF_FDS"


class Eye:
    """One disk's place in the table. `marked` and `before` are the table's rows at the last two marks."""

    __slots__ = ("_reads", "_writes", "at", "before", "marked")

    def __init__(self, at: int) -> None:
        self.at = at
        self.before = self.marked = b""
        self.forget()

    def forget(self) -> None:
        """After a second that is not told: nothing is left over from it."""
        self._reads = Shared()
        self._writes = Shared()

    def second(self, reads: int, writes: int) -> Exact | None:
        """The second between the last two marks, in which the counters saw so many I/Os. None: it is not exact."""
        if len(self.before) != DISK_BYTES:
            return None
        if self.before == self.marked:
            timed: list[dict[int, int]] = [{}, {}]
        else:
            grown = self._grown()
            timed = [
                {place - 1: count for place, count in grown if place < BUCKETS},
                {place - BUCKETS - 1: count for place, count in grown if place >= BUCKETS},
            ]
        read, write = self._reads.second(timed[0], reads), self._writes.second(timed[1], writes)
        if read is None or write is None:
            return None
        return Exact(read[0], write[0], read[1], write[1])

    def _grown(self) -> list[tuple[int, int]]:
        """(place, by how much) of each counter that grew. Most did not: they are passed over a stretch at a time."""
        before, marked = self.before, self.marked
        grown: list[tuple[int, int]] = []
        for begin in range(0, DISK_BYTES, STRETCH_BYTES):
            was, now = before[begin : begin + STRETCH_BYTES], marked[begin : begin + STRETCH_BYTES]
            if was != now:
                pairs = enumerate(zip(memoryview(was).cast("Q"), memoryview(now).cast("Q")), begin // 8)
                grown += [(place, new - old) for place, (old, new) in pairs if new != old]
        return grown


class Table:
    """The mapped table and who has which place in it."""

    __slots__ = ("_eyes", "_heads", "_rows", "fds")

    def __init__(self, fds: tuple[int, ...]) -> None:
        """`fds`: the table, and what else must stay open as long as it counts. Raises OSError, ValueError."""
        self.fds = fds
        for fd in fds:
            os.set_inheritable(fd, False)  # not for the uplink children
        view = memoryview(mmap.mmap(fds[0], -(-SIZE // mmap.PAGESIZE) * mmap.PAGESIZE))
        self._heads = view[:HEAD_BYTES].cast("I")
        self._rows = view[HEAD_BYTES:SIZE]
        self._eyes: dict[int, Eye] = {}

    def follow(self, numbers: Iterable[str | None]) -> dict[str, Eye]:
        """Count these disks ("254:0") and no others. Answers their places; disks beyond the table's have none."""
        wanted = {number: _device(number) for number in numbers if number}
        for device in set(self._eyes) - set(wanted.values()):
            self._heads[self._eyes.pop(device).at] = GONE
        taken = {eye.at for eye in self._eyes.values()}
        for device in wanted.values():
            free = next((at for at in range(DISKS) if at not in taken), None)
            if device not in self._eyes and free is not None:
                taken.add(free)
                self._eyes[device] = Eye(free)
                self._heads[free] = device
        return {number: self._eyes[device] for number, device in wanted.items() if device in self._eyes}

    def mark(self) -> None:
        """A second begins here, for every disk."""
        rows = self._rows
        for eye in self._eyes.values():
            eye.before = eye.marked
            eye.marked = bytes(rows[eye.at * DISK_BYTES : (eye.at + 1) * DISK_BYTES])


def handed_over(environ: dict[str, str]) -> Table | None:
    """The table that this process was started with; its name is taken out of the environment. None: there is none."""
    text = environ.pop(HANDED_OVER, "")
    if not text:
        return None
    return Table(tuple(int(fd) for fd in text.split(",")))


def _device(number: str) -> int:
    major, _, minor = number.partition(":")
    return int(major) << 20 | int(minor)
