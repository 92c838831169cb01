"""The process beside a hypervisor's sampler: follows its VMs as they come and go, and says whose disks they hold."""

from __future__ import annotations

import glob
import os
import select
import stat
import time

from ..burden import NS_PER_S, Burden
from ..orders import Orders
from ..qmp.client import Client, QmpError
from ..settings import Settings
from ..state import State, pairs_to_bytes, write_atomically
from .assign import Seen, assign
from .bulk import Bulk
from .keeper import NOTES
from .libvirt import LibvirtError, Virsh
from .map_file import MapFile
from .poller import Poller

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List

# VMs that come are seen within so many seconds; what a second look would find sooner has made no I/O worth a bill.
LOOK_S = 5
# More VMs than one machine runs; each has a thread.
MOST_VMS = 1_000
END_S = 2.0
MINUTE_NS = 60 * NS_PER_S


class Watcher:
    """One run. `words`: a sentence about every drive, socket or line that gives no evidence now."""

    def __init__(self, settings: Settings, state: State) -> None:
        self.settings = settings
        self.state = state
        self.orders = Orders(state.policy)
        self.map = MapFile(settings.disk_map)
        self.pollers: Dict[str, Poller] = {}
        self.bulk: Bulk | None = None
        self.burden = Burden()
        self.words: List[str] = []
        self._left: Dict[str, str] = {}
        self._said: List[str] = []
        self._looked_ns = 0

    def run(self, alive: int) -> None:
        """Until `alive`, the sampler's end of a pipe, is closed: without it nothing is sent."""
        self._begin_libvirt()
        turn = 0
        while not select.select([alive], [], [], 1.0)[0]:
            if turn % LOOK_S == 0:
                self._follow_sockets()
            self.orders.renewed()
            self.map.renewed()
            self._assign()
            if turn % LOOK_S == LOOK_S - 1:
                self._report()
            turn += 1
        self._finish()

    def _begin_libvirt(self) -> None:
        if not self.settings.libvirt:
            return
        try:
            self.bulk = Bulk(Virsh(self.settings.libvirt), self.settings.scrape_s, self.state.spool)
        except LibvirtError as error:
            self._left["libvirt"] = str(error)
            return
        self.bulk.start()

    def _follow_sockets(self) -> None:
        """Begin with sockets that are new, and leave those that are gone or that nobody listens on any more."""
        paths, self._left = sockets_of(self.settings.qmp), {k: v for k, v in self._left.items() if k == "libvirt"}
        for path in [path for path in self.pollers if path not in paths or not self.pollers[path].is_alive()]:
            self.pollers.pop(path).stop()
        for path in paths:
            if path in self.pollers:
                continue
            if len(self.pollers) >= MOST_VMS:
                self._left[path] = f"{path}: over {MOST_VMS} VMs, this one is left out"
                continue
            try:
                name = name_of(path)
            except QmpError as error:
                self._left[path] = str(error)
                continue
            twin = next((other.path for other in self.pollers.values() if other.vm == name), None)
            if twin is not None:
                self._left[path] = f"{path}: its VM is called {name!r}, as the one of {twin}: give it another name"
                continue
            self.pollers[path] = Poller(path, name, self.state.run)
            self.pollers[path].start()

    def _assign(self) -> None:
        """Hand each drive to its guest's disk. What a VM's own monitor tells is better than libvirt's sums."""
        guests, lines = self.orders.policy.guests, self.map.lines
        seen: List[Seen] = [one for poller in self.pollers.values() for one in poller.seen]
        found, words = assign(seen, lines, guests)
        for poller in self.pollers.values():
            poller.assigned = {name: guest for (vm, name), guest in found.items() if vm == poller.vm}
        if self.bulk is not None:
            taken = {guest.address for guest in found.values()}
            more, others = assign(self.bulk.seen, lines, guests)
            self.bulk.assigned = {key: guest for key, guest in more.items() if guest.address not in taken}
            exact = {one.vm for one in seen}
            words += [word for word in others if not any(f" {vm}/" in word or f" {vm}:" in word for vm in exact)]
        troubles = [poller.trouble for poller in self.pollers.values() if poller.trouble]
        foreign = [
            f"VM {poller.vm}: another program's histogram is set on {', '.join(poller.foreign)} and left alone"
            for poller in self.pollers.values()
            if poller.foreign
        ]
        if self.bulk is not None and self.bulk.trouble:
            troubles.append(self.bulk.trouble)
        error = [self.map.error] if self.map.error else []
        self.words = error + list(self._left.values()) + troubles + words + foreign

    def _report(self) -> None:
        for word in self.words:
            if word not in self._said:
                os.write(2, f"plimsoll-agent: {word}\n".encode())
        self._said = self.words
        now = time.monotonic_ns()
        if now - self._looked_ns >= MINUTE_NS:
            self.burden.look(now)
            self._looked_ns = now
        pairs: Dict[str, object] = {
            "pid": os.getpid(),
            "at": int(time.time()),
            "vms": len(self.pollers),
            "mapped": sum(len(poller.assigned) for poller in self.pollers.values()),
            "libvirt_mapped": 0 if self.bulk is None else len(self.bulk.assigned),
            "looks": sum(poller.looks for poller in self.pollers.values()),
            "missed": sum(poller.missed for poller in self.pollers.values()),
            "trouble": "; ".join(self.words)[:1000].replace("\n", " "),
            **self.burden.pairs(),
        }
        try:
            write_atomically(f"{self.state.run}/{NOTES}", pairs_to_bytes(pairs))
        except OSError as error:
            os.write(2, f"plimsoll-agent: the hypervisor's status is not written: {error}\n".encode())

    def _finish(self) -> None:
        """Every open frame is ended; a monitor that hangs is not waited for."""
        threads: List[Poller | Bulk] = [*self.pollers.values(), *([self.bulk] if self.bulk else [])]
        for thread in threads:
            thread.stop()
        end = time.monotonic() + END_S
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))
        if os.path.exists(f"{self.state.run}/{NOTES}"):
            os.unlink(f"{self.state.run}/{NOTES}")


def sockets_of(patterns: List[str]) -> List[str]:
    """The sockets that these paths and patterns name now, in order."""
    paths = sorted({path for pattern in patterns for path in glob.glob(pattern)})
    return [path for path in paths if _is_socket(path)]


def name_of(path: str) -> str:
    """The VM's name as its operator gave it (-name), else that of its socket's file. Raises QmpError."""
    with Client(path, 0.5) as client:
        name = str((client.execute("query-name") or {}).get("name") or "")
    return name or os.path.basename(path).partition(".")[0]


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)
    except OSError:
        return False
