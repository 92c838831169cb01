"""Does an idle disk still answer? One block of it is read every so many seconds, where nothing else was done to it.

Each read is made by a process of its own, which holds nothing of the sampler's: one that a hanging disk keeps in the
kernel cannot even be killed, and nobody waits for it. It is an ordinary I/O of the kernel's counters.
"""

from __future__ import annotations

import errno
import os

from ..kernel.direct import open_disk, read_block
from .idle import Idle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Dict, Iterable, List

    from ..watch import Watch

    Read = Callable[[int, int], int]
    Open = Callable[[str, "str | None"], int]

NS_PER_S = 1_000_000_000
# It is looked at once a second, a little sooner or later.
SLACK_NS = NS_PER_S // 2
# A read that is out for longer is told as hanging.
HANGS_NS = 5 * NS_PER_S
# The hardened unit allows sixteen tasks: hanging reads leave most of them to the uploads.
MOST_AT_ONCE = 4
# A reader's exit status is what went wrong (errno), with this bit where the disk was asked and did not give the block.
ASKED = 128
# What trying again does not mend: rights, a name without its disk, a disk that takes no such block.
FOR_GOOD = (errno.EACCES, errno.EPERM, errno.ENOENT, errno.ENXIO, errno.ENOTBLK, errno.EINVAL)
SIGKILL = 9


class Canary:
    """The reads of one agent. `sent`: how many there were since it began."""

    __slots__ = ("_disks", "_every_ns", "_folder", "_open", "_read", "_readers", "_seed", "sent")

    def __init__(
        self,
        every_s: int,
        *,
        seed: int | None = None,
        folder: str = "/dev",
        open_disk: Open = open_disk,
        read: Read = read_block,
    ) -> None:
        """`seed`: where the positions begin, by chance if None; `folder`: where the devices' names are."""
        self._every_ns = every_s * NS_PER_S
        self._seed = int.from_bytes(os.urandom(8), "big") if seed is None else seed
        self._folder = folder
        self._open = open_disk
        self._read = read
        self._disks: Dict[Watch, Asked] = {}
        self._readers: Dict[int, Asked] = {}
        self.sent = 0

    def tend(self, now_ns: int, watches: Iterable[Watch]) -> List[str]:
        """Once a second, just after the counters were read: send what is due. Answers what is news.

        A volume that a guest pays for is left alone: its host has nothing to ask of it.
        """
        own = [watch for watch in watches if watch.guest is None]
        self._disks = {watch: self._disks.get(watch) or Asked(watch) for watch in own}
        for watch, disk in self._disks.items():
            disk.idle.look(now_ns, watch.counters)
        news = self._leave(now_ns)
        for disk in self._disks.values():
            due = disk.idle.quiet_ns(now_ns) >= self._every_ns - SLACK_NS and now_ns >= disk.next_ns
            if due and not disk.idle.reading and not disk.refused and len(self._readers) < MOST_AT_ONCE:
                self._send(now_ns, disk)
        return news

    def troubles(self) -> List[str]:
        """What is wrong now: disks that cannot be asked, and those that do not answer."""
        return [disk.trouble for disk in self._disks.values() if disk.trouble]

    def end(self) -> None:
        """The agent stops: readers go as soon as their disks let them."""
        for pid in self._readers:
            os.kill(pid, SIGKILL)

    def _send(self, now_ns: int, disk: Asked) -> None:
        self._seed += 1
        try:
            pid = os.fork()
        except OSError:  # no room for a process: the next second may have it
            return
        if not pid:
            self._ask(f"{self._folder}/{disk.device}", disk.number)
        disk.idle.begin()
        disk.sent_ns, disk.next_ns = now_ns, now_ns + self._every_ns - SLACK_NS
        self.sent += 1
        self._readers[pid] = disk

    def _ask(self, path: str, number: str | None) -> None:
        """In the process of its own, which ends here."""
        status, asked = errno.EIO, 0
        try:
            # A lock that a hanging reader held would keep the sampler's successor out.
            os.closerange(3, 1 + max(map(int, os.listdir("/proc/self/fd"))))
            fd = self._open(path, number)
            asked = ASKED
            self._read(fd, self._seed)
            status = 0
        except OSError as error:
            status = (error.errno or errno.EIO) & ~ASKED
            # One that takes no block of this size was not asked.
            status |= asked if status != errno.EINVAL else 0
        finally:
            os._exit(status)

    def _leave(self, now_ns: int) -> List[str]:
        """Take leave of the readers that have ended, and name those that have been out for too long."""
        news = []
        for pid, disk in list(self._readers.items()):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                del self._readers[pid]
                disk.idle.end()
                trouble = self._judge(disk, os.waitstatus_to_exitcode(status))
            elif now_ns - disk.sent_ns >= HANGS_NS:
                trouble = f"a canary read of {disk.device} hangs"
            else:
                continue
            if trouble != disk.trouble:
                news.append(trouble or f"canary reads of {disk.device} are answered again")
                disk.trouble = trouble
        return news

    def _judge(self, disk: Asked, code: int) -> str:
        """What is wrong with the disk whose reader ended so; empty where it answered."""
        if code < 0:
            return disk.trouble
        if code & ASKED:
            return f"a canary read of {disk.device} failed: {os.strerror(code & ~ASKED)}"
        if code == 0:
            return ""
        self.sent -= 1
        disk.refused = code in FOR_GOOD
        return refusal(disk.device, code)


class Asked:
    """A disk and its reads. `refused`: it cannot be asked; `next_ns`: not before this moment again."""

    __slots__ = ("device", "idle", "next_ns", "number", "refused", "sent_ns", "trouble")

    def __init__(self, watch: Watch) -> None:
        self.device = watch.device
        self.number = watch.disk.number
        self.idle = Idle()
        self.next_ns = 0
        self.sent_ns = 0
        self.refused = False
        self.trouble = ""


def refusal(device: str, code: int) -> str:
    """Why a disk cannot be asked; `code` is the errno of trying to."""
    reason = os.strerror(code)
    if code in (errno.EACCES, errno.EPERM):
        reason += "; root or the group disk may, and the hardened unit is neither"
    elif code == errno.ENOENT:
        reason += "; the hardened unit sees no devices"
    return f"no canary for {device}, it cannot be opened for direct reading: {reason}"
