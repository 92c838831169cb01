"""One VM's monitor, looked at each second in a thread of its own: one that hangs holds up nobody else."""

from __future__ import annotations

import threading
import time

from ..clock import NS_PER_S, Clock
from ..qmp import drives
from ..qmp.client import Client, QmpError
from .assign import Seen
from .guests import Guest
from .seat import Seat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict

    from ..qmp.drives import Drive

# What a look that comes later than this would put into the second before is too much.
LATE_NS = NS_PER_S // 4
# Shorter than a second: the next look is due then.
TIMEOUT_S = 0.8
# A monitor that somebody else holds is asked again less and less often.
LONGEST_WAIT_S = 10


class Poller(threading.Thread):
    """Connects for each look and lets go at once: between looks the socket is free for whoever manages the VM.

    `seen`: its drives as last described; `assigned`: whose disks they are, replaced as a whole by the watcher;
    `trouble`: why there was no look last time; `looks`, `missed`: seconds seen, and not.
    """

    def __init__(self, path: str, name: str, folder: str) -> None:
        super().__init__(name=path, daemon=True)
        self.path = path
        self.vm = name
        self.seen: tuple[Seen, ...] = ()
        self.assigned: Dict[str, Guest] = {}
        self.foreign: tuple[str, ...] = ()
        self.trouble = ""
        self.looks = self.missed = 0
        self._folder = folder
        self._seats: Dict[str, Seat] = {}
        self._names: drives.Names = {}
        self._pid = 0
        self._clock = Clock()
        self._failures = 0
        self._over = threading.Event()

    def stop(self) -> None:
        """Cut, and end."""
        self._over.set()

    def run(self) -> None:
        """Until told to stop: a socket that is gone is the watcher's to notice."""
        while not self._over.wait(self._until_next()):
            self.look()
        self._cut_all()

    def look(self) -> None:
        """One second: connect, ask, write down."""
        boundary = time.time_ns() // NS_PER_S
        begun = time.monotonic_ns()
        try:
            with Client(self.path, TIMEOUT_S) as client:
                self._look(client, boundary)
        except QmpError as error:
            self._fail(str(error))
        except (KeyError, TypeError, ValueError) as error:
            self._fail(f"{self.path}: QEMU's answer is not understood: {error!r}")
        except OSError as error:
            self._fail(f"a second of {self.vm} is lost: {error}")
        if time.monotonic_ns() - begun > 2 * NS_PER_S:
            self._cut_all()

    def _look(self, client: Client, second: int) -> None:
        new = client.pid != self._pid
        if new:
            self._pid, self._names, self.foreign = client.pid, {}, ()
        mono = time.monotonic_ns()
        found = drives.read(client, self._names)
        if any(drive.hists is None and drive.name not in self.foreign for drive in found.values()):
            told = drives.watch(client)
            self.foreign = tuple(sorted(name for name, whose in told.items() if whose == drives.FOREIGN))
            mono = time.monotonic_ns()
            found = drives.read(client, self._names)
        after, wall = time.monotonic_ns(), time.time_ns()
        same = not self._clock.jumped(wall, after) and not new
        self.seen = tuple(Seen(self.vm, drive.name, drive.serial, drive.wwn) for drive in found.values())
        self.trouble = ""
        self._failures = 0
        if wall - second * NS_PER_S > LATE_NS:
            self.missed += 1
            self._cut_all()
            return
        self.looks += 1
        self._sit(found, second, mono, after, same=same)

    def _sit(self, found: Dict[str, Drive], second: int, mono: int, after: int, *, same: bool) -> None:
        assigned = self.assigned
        for name in [
            name for name, seat in self._seats.items() if name not in found or assigned.get(name) != seat.guest
        ]:
            self._seats.pop(name).cut()
        for name, drive in found.items():
            guest = assigned.get(name)
            if guest is None:
                continue
            if name not in self._seats:
                self._seats[name] = Seat(guest, self._folder)
            self._seats[name].take(second, mono, after, drive, same=same)

    def _fail(self, why: str) -> None:
        self.trouble = why
        self.missed += 1
        self._failures += 1
        self._cut_all()

    def _cut_all(self) -> None:
        for seat in self._seats.values():
            seat.cut()

    def _until_next(self) -> float:
        """Seconds to the next look: the next whole second, later where the last ones failed."""
        now = time.time()
        wait = min(LONGEST_WAIT_S, 1 << max(0, self._failures - 3)) - 1 if self._failures else 0
        return int(now) + 1 + wait - now
