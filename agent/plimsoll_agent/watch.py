"""One disk under watch: its counters at the start of the second, its meter, its open journal."""

from __future__ import annotations

from . import journal
from .cadence import wants_finer
from .core.counters import Counters, difference
from .core.meter import DiskMeter
from .core.terms import Term
from .kernel import release
from .kernel.blockdev import BlockDevice
from .kernel.diskstats import counters_of
from .kernel.machine import Machine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .ebpf.table import Eye
    from .hypervisor.guests import Guest

QUIET = b""


class Watch:
    """State of one disk. `line` is the raw text last read, `counters` what it said; `doubled_ns` is twice the integral
    of in_flight over the second so far (trapezoids, so that no division is needed on the way). `eye` times its I/Os one
    by one, where the kernel does; `exact` says whether all seconds of the open journal were so; `guest` is whose disk
    it is where this machine is the hypervisor that serves it."""

    __slots__ = (
        "begin",
        "begin_line",
        "begin_ns",
        "counters",
        "device",
        "disk",
        "doubled_ns",
        "exact",
        "eye",
        "fd",
        "finer",
        "guest",
        "in_flight",
        "index",
        "jiffy_ms",
        "journal",
        "line",
        "meter",
        "prefix",
        "rule",
        "samples",
        "seen_ns",
        "terms",
    )

    def __init__(
        self, disk: BlockDevice, kernel_release: str, terms: tuple[Term, ...], guest: Guest | None = None
    ) -> None:
        self.disk = disk
        self.guest = guest
        self.device = disk.device
        # Bio-based devices have no in_flight rules, and older kernels count their I/Os at the start (semantics §3).
        self.rule = "driver" if disk.bio_based else release.in_flight_rule(kernel_release)
        self.jiffy_ms = release.jiffy_ms(kernel_release) if disk.bio_based else 1
        self.fd = -1
        self.index = 0
        self.prefix = QUIET
        self.journal: journal.Journal | None = None
        self.eye: Eye | None = None
        self.exact = False
        self.judge_by(terms)
        self.forget()

    def identity(self) -> tuple[object, ...]:
        """What must stay equal for it to be the same disk of the same machine."""
        return (*self.disk.identity(), self.guest.address if self.guest else None)

    def judge_by(self, terms: tuple[Term, ...]) -> None:
        """Start a meter for these terms; what an old one knew of the queue is lost."""
        self.terms = terms
        self.meter = DiskMeter(terms, rule=self.rule, bio_based=self.disk.bio_based, jiffy_ms=self.jiffy_ms)

    def forget(self) -> None:
        """After a gap or a reset: nothing before the next sample is known."""
        self.line = QUIET
        self.begin_line = QUIET
        self.counters: Counters = ()
        self.begin: Counters | None = None
        self.begin_ns = 0
        self.seen_ns = 0
        self.in_flight = 0
        self.doubled_ns = 0
        self.samples = 0
        self.finer = False
        self.meter.reset()
        if self.eye is not None:
            self.eye.forget()

    def restart(self) -> None:
        """After a second that cannot be judged: the last sample is good, what comes is measured from it on."""
        self.begin = None
        if self.eye is not None:
            self.eye.forget()
        # What the meter has counted since the last second belongs to none.
        self.meter.close_second()
        self.meter.take_histograms()
        self.meter.reset()
        if self.counters:
            self.meter.sample(self.seen_ns, self.counters)

    def take(self, now_ns: int, after_ns: int, line: bytes, fields: list[bytes]) -> None:
        """A sample with another text than the last, read between two stamps. `fields`: its columns after the name."""
        counters: Counters = tuple(map(int, fields))
        if len(counters) != 17:
            counters = counters_of(fields)
        self.line = line
        self.counters = counters
        in_flight = counters[8] or 0
        if in_flight or self.in_flight:
            self.doubled_ns += (in_flight + self.in_flight) * (now_ns - self.seen_ns)
            self.in_flight = in_flight
        self.seen_ns = now_ns
        self.samples += 1
        self.meter.sample(now_ns, counters, after_ns)

    def same(self, now_ns: int, after_ns: int) -> None:
        """A sample whose text is that of the last one."""
        if self.in_flight:
            self.doubled_ns += 2 * self.in_flight * (now_ns - self.seen_ns)
        self.seen_ns = now_ns
        self.samples += 1
        self.meter.sample(now_ns, self.counters, after_ns)

    def begin_second(self) -> None:
        """The last sample opens a second."""
        self.begin = self.counters
        self.begin_line = self.line
        self.begin_ns = self.seen_ns
        self.doubled_ns = 0
        self.samples = 0

    def end_second(self) -> bytes | None:
        """The journal's line for the second that the last sample ends. None: the counters were reset in it."""
        begin = self.begin
        if begin is None:
            return None
        advances = difference(begin, self.counters)
        exact = None
        if advances is not None and self.eye is not None:
            exact = self.eye.second(advances[0] or 0, advances[4] or 0)
        counts = self.meter.close_second(exact)
        histograms = self.meter.take_histograms()
        if exact is not None:
            histograms = exact.read_hist, exact.write_hist
        self.exact = self.exact and exact is not None
        samples = self.samples or 1
        fine_ms = (self.seen_ns - self.begin_ns + samples * 500_000) // (samples * 1_000_000)
        rows = [counts[term.term] for term in self.terms]
        self.finer = False
        if self.line == self.begin_line and not self.in_flight and not self.doubled_ns and not any(map(any, rows)):
            return journal.idle_line(fine_ms)
        if advances is None:
            return None
        ios = (advances[0] or 0) + (advances[4] or 0)
        for term, row in zip(self.terms, rows):
            if wants_finer(term, ios, row, self.in_flight, self.meter.pool(term.term)):
                self.finer = True
        return journal.second_line(advances, (self.doubled_ns + 1_000_000) // 2_000_000, fine_ms, rows, histograms)

    def open_journal(self, folder: str, start: int, vantage: str, machine: Machine) -> None:
        """Begin a frame at `start`, with the last sample as its base."""
        terms = [(term, self.meter.pool(term.term)) for term in self.terms]
        disk = self.disk
        names: tuple[str, str | None, str | None] = disk.device, disk.serial, disk.wwn
        looked: Machine | None = machine
        if self.guest is not None:
            # How this machine fares is not the guest's to know.
            names, vantage, looked = (self.guest.address, self.guest.serial, self.guest.wwn), "host", None
        text = journal.head(*names, vantage, self.rule, start, self.counters, terms, looked)
        self.exact = self.eye is not None
        self.journal = journal.Journal(folder, start, text, disk.device)

    def cut_journal(self, machine: Machine) -> bool:
        """End the frame if one is open. True where it left something to send."""
        if self.journal is None:
            return False
        ended, self.journal = self.journal, None
        return ended.cut(None if self.guest else machine, "ebpf" if self.exact else "diskstats")
