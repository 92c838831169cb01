"""One drive of a VM under watch: from two looks at QEMU's figures to a second of its guest's disk.

Whole seconds are all that is known of when requests came, so what the promise covers is labelled by the rules for
whole steps; how many were slow is counted by QEMU itself. A burst that no promise covers and a slow disk leave the
same books, and QEMU does not tell what waits: so "at most" is exact, and "at least so many of the covered" stays 0.
This side can prove that a promise was kept, never that it was broken.
"""

from __future__ import annotations

from .. import journal
from ..clock import FUTURE_S
from ..core.exact import Exact, Shared
from ..core.meter import DiskMeter
from ..qmp.drives import Drive, between
from .guests import Guest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict

STEP_MS = 1000
# QEMU does not tell what is in flight: the queue proves nothing.
RULE = "driver"
EXACT, SUMS = "qmp", "import"


class Seat:
    """The figures of one drive for one guest's disk, and the open journal of its frame.

    A second whose two ends were not both seen on time is unknown: the frame ends before it, and the next one's base
    tells how much happened in between.
    """

    __slots__ = (
        "_exact",
        "_folder",
        "_high",
        "_journal",
        "_last",
        "_meter",
        "_mono",
        "_reads",
        "_second",
        "_writes",
        "guest",
    )

    def __init__(self, guest: Guest, folder: str) -> None:
        """`folder`: where journals lie, in memory."""
        self.guest = guest
        self._folder = folder
        self._last: Drive | None = None
        self._second = 0
        self._high = 0  # the end of the last second written down: nothing before it is told again
        self._mono = 0
        self._journal: journal.Journal | None = None
        self._exact = False
        self._forget()

    def _forget(self) -> None:
        self._meter = DiskMeter(self.guest.terms, rule=RULE)
        self._reads, self._writes = Shared(), Shared()

    def take(self, second: int, mono_ns: int, after_ns: int, drive: Drive, *, same: bool) -> bool:
        """What the drive said between two stamps of the monotonic clock, just after this wall-clock second began.

        `same`: the same VM's process and no jump of the clock since the last look. True where a frame was ended.
        Raises OSError where the second cannot be written down.
        """
        last, self._last = self._last, drive
        if not same and second + FUTURE_S < self._high:
            self._high = 0
        follows = same and second == self._second + 1 and second > self._high
        self._second = second
        did = between(last, drive) if follows and last is not None else None
        if did is None or last is None:
            ended = self.cut()
            self._forget()
            self._meter.sample(mono_ns, drive.counters, after_ns)
            return ended
        if self._journal is None:
            self._open(second - 1, last)
        self._meter.sample(mono_ns, drive.counters, after_ns)
        self._write(did, (mono_ns - self._mono) // 1_000_000 if self._mono else STEP_MS)
        self._mono = mono_ns
        self._high = second
        return self.cut() if second % 60 == 0 else False

    def cut(self) -> bool:
        """End the frame. True where it left one."""
        self._mono = 0
        if self._journal is None:
            return False
        ended, self._journal = self._journal, None
        return ended.cut(None, EXACT if self._exact else SUMS)

    def _open(self, start: int, base: Drive) -> None:
        terms = [(term, self._meter.pool(term.term)) for term in self.guest.terms]
        names = self.guest.address, self.guest.serial, self.guest.wwn
        head = journal.head(*names, "host", RULE, start, base.counters, terms, None)
        self._journal = journal.Journal(self._folder, start, head, self.guest.address)
        self._exact = True

    def _write(self, did: Drive, fine_ms: int) -> None:
        exact = self._counted(did)
        counts = self._meter.close_second(exact)
        hists: tuple[Dict[int, int], Dict[int, int]] = self._meter.take_histograms()
        if exact is not None:
            hists = exact.read_hist, exact.write_hist
        self._exact = self._exact and exact is not None
        rows = [counts[term.term] for term in self.guest.terms]
        if self._journal is not None:
            self._journal.append(journal.second_line(did.counters, None, fine_ms, rows, hists))

    def _counted(self, did: Drive) -> Exact | None:
        """The second's requests by bucket; None where no histogram of ours says."""
        if did.hists is None:
            self._reads, self._writes = Shared(), Shared()
            return None
        reads = self._reads.second(did.hists["read"], did.ios["read"])
        writes = self._writes.second(did.hists["write"], did.ios["write"])
        if reads is None or writes is None:
            self._reads, self._writes = Shared(), Shared()
            return None
        return Exact(reads[0], writes[0], reads[1], writes[1])
