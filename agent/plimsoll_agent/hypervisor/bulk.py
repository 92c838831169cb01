"""libvirt's VMs, looked at every few seconds in one thread: sums over whole steps, evidence of grade C."""

from __future__ import annotations

import threading
import time

from .. import spool
from ..clock import NS_PER_S, Clock
from ..core.layout import LayoutError
from ..imports.column import MINUTE_S, Column
from .assign import Seen
from .guests import Guest
from .libvirt import LibvirtError, Virsh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict

    from .libvirt import Disks

    Key = tuple[str, str]

# A look is of its boundary if it was over within this part of a step after it.
LATE_PART = 10
RULE = "driver"


class Bulk(threading.Thread):
    """`seen`, `assigned`, `trouble`, `looks`, `missed` as in poller.py; `assigned` is keyed by VM and disk."""

    def __init__(self, virsh: Virsh, step_s: int, spool_folder: str) -> None:
        super().__init__(name=virsh.address, daemon=True)
        self.virsh = virsh
        self.step_s = step_s
        self.seen: tuple[Seen, ...] = ()
        self.assigned: Dict[Key, Guest] = {}
        self.trouble = ""
        self.looks = self.missed = 0
        self._folder = spool_folder
        self._columns: Dict[Key, tuple[Guest, Column]] = {}
        self._identities: Dict[str, tuple[tuple[str, ...], Dict[str, tuple[str | None, str | None]]]] = {}
        self._last = 0
        self._clock = Clock()
        self._over = threading.Event()

    def stop(self) -> None:
        """Cut, and end."""
        self._over.set()

    def run(self) -> None:
        """Until told to stop."""
        while not self._over.wait(self.step_s - time.time() % self.step_s):
            self.look(int(time.time()) // self.step_s * self.step_s)
        self._cut_all()

    def look(self, due: int) -> None:
        """One boundary."""
        try:
            disks = self.virsh.disks(self.step_s * 0.8)
            wall, mono = time.time_ns(), time.monotonic_ns()
            self._identify(disks)
        except LibvirtError as error:
            self.trouble = str(error)
            self.missed += 1
            self._cut_all()
            return
        self.trouble = ""
        steady = not self._clock.jumped(wall, mono)
        if wall - due * NS_PER_S > self.step_s * NS_PER_S // LATE_PART:
            self.missed += 1
            self._cut_all()
            return
        self.looks += 1
        self._take(due, disks, follows=steady and self._last == due - self.step_s)
        self._last = due
        if due % MINUTE_S == 0:
            self._cut_all()

    def _take(self, due: int, disks: Disks, *, follows: bool) -> None:
        assigned = self.assigned
        there = {(vm, name): disk for vm, named in disks.items() for name, disk in named.items()}
        for key, (guest, column) in list(self._columns.items()):
            if key not in there or assigned.get(key) != guest:
                self._cut(column)
                del self._columns[key]
        for key, guest in assigned.items():
            if key not in there:
                continue
            if key not in self._columns:
                self._columns[key] = guest, Column(guest.address, guest.serial or None, guest.wwn or None, RULE)
            column = self._columns[key][1]
            if not column.take(due, self.step_s, there[key].counters, follows):
                self._cut(column)

    def _identify(self, disks: Disks) -> None:
        """Ask who the disks of a VM are whenever its set of disks is another one."""
        seen = []
        for vm in [vm for vm in self._identities if vm not in disks]:
            del self._identities[vm]
        for vm, named in disks.items():
            shape = tuple(sorted(f"{name} {disk.path}" for name, disk in named.items()))
            if vm not in self._identities or self._identities[vm][0] != shape:
                self._identities[vm] = shape, self.virsh.identities(vm, self.step_s * 0.8)
            known = self._identities[vm][1]
            seen += [Seen(vm, name, *known.get(name, (None, None))) for name in named]
        self.seen = tuple(seen)

    def _cut_all(self) -> None:
        for _, column in self._columns.values():
            self._cut(column)

    def _cut(self, column: Column) -> None:
        frame = column.cut(self.step_s, "host")
        if frame is None:
            return
        try:
            spool.put(self._folder, frame)
        except (OSError, LayoutError) as error:
            self.trouble = f"a frame of {column.device} is lost: {error}"
