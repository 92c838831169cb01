"""What did the disks of a recording give: the same judgement as live, from a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .clock import NS_PER_S, STEP_NS
from .core.counters import IN_FLIGHT, READ_IOS, READ_MS, WRITE_IOS, WRITE_MS, Counters, difference
from .core.meter import DiskMeter
from .core.terms import Term
from .recording import Moment, whole_disks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Replayed:
    """One disk's sums so far."""

    __slots__ = (
        "_last",
        "_meter",
        "_pool",
        "_term",
        "covered",
        "estimate",
        "high",
        "ios",
        "low",
        "ms",
        "seconds_ns",
        "xhi",
        "xlo",
    )

    def __init__(self, term: Term, rule: str, bio_based: bool) -> None:
        self._term = term
        self._meter = DiskMeter((term,), rule=rule, bio_based=bio_based, jiffy_ms=10)
        self._last: tuple[int, Counters] | None = None
        self._pool = 0
        self.ios = self.ms = self.seconds_ns = 0
        self.low = self.estimate = self.high = 0
        self.covered = self.xlo = self.xhi = 0

    def take(self, mono_ns: int, counters: Counters, *, broken: bool) -> None:
        """The next reading; `broken` where the clocks say that it does not follow the last one."""
        last = self._last
        self._last = (mono_ns, counters)
        advances = None if last is None or broken else difference(last[1], counters)
        if last is None or advances is None:
            if last is not None:
                self.close_second()
            self._meter.reset()
            self._meter.sample(mono_ns, counters)
            # What was in flight may be excess of a time that nobody saw.
            self._pool += self._meter.pool(self._term.term)
            return
        self._meter.sample(mono_ns, counters)
        self.ios += (advances[READ_IOS] or 0) + (advances[WRITE_IOS] or 0)
        self.ms += (advances[READ_MS] or 0) + (advances[WRITE_MS] or 0)
        self.seconds_ns += mono_ns - last[0]

    def close_second(self) -> None:
        """A second of the wall clock is over."""
        counts = self._meter.close_second()[self._term.term]
        self._meter.take_histograms()
        self.low += counts.read_lo + counts.write_lo
        self.estimate += counts.read_est + counts.write_est
        self.high += counts.read_hi + counts.write_hi
        self.covered += counts.covered_est
        self.xlo += counts.excess_lo
        self.xhi += counts.excess_hi

    def line(self, device: str) -> dict[str, Any]:
        """The sums as `replay --json` prints them. Covered by semantics §4: E_low and E_high of the whole recording."""
        in_flight = (self._last[1][IN_FLIGHT] or 0) if self._last else 0
        return {
            "device": device,
            "ios": self.ios,
            "covered": {
                "low": max(0, self.ios - self._pool - self.xhi),
                "estimate": self.covered,
                "high": self.ios - max(0, self.xlo - in_flight),
            },
            "slow": {"low": self.low, "estimate": self.estimate, "high": self.high},
            "await_ms": round(self.ms / self.ios, 3) if self.ios else None,
            "seconds": round(self.seconds_ns / NS_PER_S, 3),
        }


def replay(readings: Iterable[Moment], term: Term, rule: str, named: set[str]) -> Iterator[dict[str, Any]]:
    """One line per disk. `rule`: what in_flight proves on the kernel that was recorded ("driver" is always sound)."""
    disks: dict[str, Replayed] = {}
    wanted: set[str] | None = None
    before: Moment | None = None
    for moment in readings:
        if wanted is None:
            wanted = whole_disks(moment.disks, named)
        broken = before is not None and _broken(before, moment)
        for _, device, counters in moment.disks:
            if device in wanted:
                if device not in disks:
                    disks[device] = Replayed(term, rule, device.startswith(("dm-", "md", "drbd", "zram", "pmem")))
                disks[device].take(moment.mono_ns, counters, broken=broken)
        if before is not None and moment.unix_ns // NS_PER_S != before.unix_ns // NS_PER_S:
            for disk in disks.values():
                disk.close_second()
        before = moment
    for disk in disks.values():
        disk.close_second()
    for device, disk in disks.items():
        yield disk.line(device)


def _broken(before: Moment, after: Moment) -> bool:
    mono = after.mono_ns - before.mono_ns
    return mono <= 0 or abs(after.unix_ns - before.unix_ns - mono) > STEP_NS
