"""What did one disk do in each second: how many I/Os were slow, how many of them did each term cover?

Fed with the disk's counters at a fine cadence, in order. Pure: no clock, no I/O; integers throughout.
"""

# The sampler pays for every call here, hundreds of times a second.
# ruff: noqa: PLR0912, PLR0915, PLR1730

from __future__ import annotations

from .bounds import NEVER, RANKS
from .counters import SECTOR_BYTES, Counters, advance
from .estimate import Cap, LatencyModel
from .histogram import MeanHistogram
from .ideal import MICRO
from .sizes import LargestIo
from .term_meter import RawCounts, SecondCounts, TermMeter
from .waited import Drought

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .exact import Exact
    from .terms import Term

RULES = ("accounted", "driver")
NS_PER_MS = 1_000_000
# So long after one discard the next may be under way. They come in trains (fstrim) and with the file system's commits.
DISCARDING_NS = 60_000_000_000
FINE_NS = 60_000_000  # up to here a sub-interval tells single I/Os apart, if there are few
# Kernels before 6.x could print in_flight below zero as an unsigned number: such a level is unknown.
IMPOSSIBLE_IN_FLIGHT = 1 << 31


class DiskMeter:
    """The running measurement of one disk by all its terms."""

    __slots__ = (
        "_after_ns",
        "_before_ns",
        "_bio_based",
        "_calm",
        "_discarded_ns",
        "_discards",
        "_done",
        "_drought",
        "_in_flight",
        "_largest",
        "_last",
        "_place",
        "_quiet",
        "_read_hist",
        "_read_model",
        "_reads",
        "_settled",
        "_size",
        "_spent",
        "_stepped_ns",
        "_steps",
        "_terms",
        "_trusted",
        "_write_hist",
        "_write_model",
        "_writes",
        "resets",
        "urgent",
    )

    def __init__(
        self, terms: Iterable[Term], *, rule: str = "accounted", bio_based: bool = False, jiffy_ms: int = 4
    ) -> None:
        """`rule`: may in_flight prove anything ("accounted", Linux 6.16 and later) or not ("driver")?

        `bio_based`: a dm, md, drbd, zram or pmem device, to which the kernel adds whole jiffies of `jiffy_ms`.
        Raises ValueError for another rule.
        """
        if rule not in RULES:
            raise ValueError(f"rule must be one of {RULES}, not {rule!r}")
        self._bio_based = bio_based
        self._trusted = rule == "accounted" and not bio_based
        self._terms = [TermMeter(term, self._trusted, jiffy_ms if bio_based else 0) for term in terms]
        self._read_hist = MeanHistogram()
        self._write_hist = MeanHistogram()
        self._read_model = LatencyModel()
        self._write_model = LatencyModel()
        self.resets = 0
        self.urgent = False
        self._reads = self._writes = self._discards = 0
        self._steps = self._stepped_ns = self._place = 0
        self._largest = LargestIo()
        self._drought = Drought()
        self.reset()

    def reset(self) -> None:
        """Forget what was: after a reset of the counters, a gap, or a change of device."""
        self._last: Counters | None = None
        self._quiet = False
        # When the disk was last seen with at most 0, 1, 2 … in flight.
        self._calm = [NEVER] * RANKS
        self._before_ns = self._after_ns = 0
        self._in_flight = self._settled = self._done = self._spent = self._size = 0
        self._discarded_ns = NEVER
        self._drought.restart()

    def sample(self, mono_ns: int, counters: Counters, after_ns: int = 0) -> None:
        """Take one reading, in the order of time.

        mono_ns: monotonic stamp just before the read, after_ns: just after it (0: the read took no time).
        counters: in the order of counters.FIELDS; None where the kernel lacks a field. A field that went back without
        having wrapped is a reset: the measurement starts afresh with this reading.
        """
        if not after_ns:
            after_ns = mono_ns
        last = self._last
        if counters == last and self._quiet:
            self._before_ns = mono_ns
            self._after_ns = after_ns
            return
        if last is None:
            self._begin(mono_ns, after_ns, counters)
            return
        (read_0, _, read_sectors_0, read_ms_0, write_0, _, write_sectors_0, write_ms_0, _, _, _, discards_0, *_) = last
        (read_1, _, read_sectors_1, read_ms_1, write_1, _, write_sectors_1, write_ms_1, level, _, _, discards_1, *_) = (
            counters
        )
        reads = (read_1 or 0) - (read_0 or 0)
        writes = (write_1 or 0) - (write_0 or 0)
        read_ms = (read_ms_1 or 0) - (read_ms_0 or 0)
        write_ms = (write_ms_1 or 0) - (write_ms_0 or 0)
        sectors = (read_sectors_1 or 0) - (read_sectors_0 or 0) + (write_sectors_1 or 0) - (write_sectors_0 or 0)
        discards = (discards_1 or 0) - (discards_0 or 0)
        if reads < 0 or writes < 0 or sectors < 0 or read_ms < 0 or write_ms < 0 or discards < 0:
            advanced_r = advance(read_ms_0 or 0, read_ms_1 or 0, True)
            advanced_w = advance(write_ms_0 or 0, write_ms_1 or 0, True)
            ahead = reads >= 0 and writes >= 0 and sectors >= 0 and discards >= 0
            if not ahead or advanced_r is None or advanced_w is None:
                self.resets += 1
                self.reset()
                self._begin(mono_ns, after_ns, counters)
                return
            read_ms, write_ms = advanced_r, advanced_w
        if level is None or level >= IMPOSSIBLE_IN_FLIGHT:
            level = 0

        last_before, last_after = self._before_ns, self._after_ns
        least_ns = mono_ns - last_after
        if least_ns < 0:
            least_ns = 0
        most_ns = after_ns - last_before
        was = self._in_flight
        done = reads + writes
        # A discard is in flight like any other and must not pass for a read or write that hangs.
        left = done + discards
        settled = self._settled + left
        arrived = left + level - was
        if arrived < 0:
            arrived = 0
        calm = self._calm
        if self._quiet:
            calm[:] = [last_before] * RANKS
        lasted_ns = mono_ns - last_before
        held_ms = read_ms + write_ms
        held_ns = (was + level) * lasted_ns // 2
        self._reads += reads
        self._writes += writes
        if reads:
            self._read_hist.add(reads, read_ms)
            self._read_model.add(reads, read_ms, held_ns, lasted_ns)
        if writes:
            self._write_hist.add(writes, write_ms)
            self._write_model.add(writes, write_ms, held_ns, lasted_ns)
        if done:
            self._steps += 1
            self._stepped_ns += lasted_ns
        size = sectors * SECTOR_BYTES
        if size and done:
            self._largest.add(mono_ns, done, size, lasted_ns > FINE_NS)
        largest = self._largest.bytes
        place = self._place
        self._place = place + 1
        seen = steady = level
        if not self._trusted and lasted_ns > 0:
            # in_flight may miss what waits before the driver: the time spent tells how many there were. A queue lasts;
            # what stands in one sub-interval alone may be one slow I/O.
            spent = held_ms * NS_PER_MS // lasted_ns
            if spent > level:
                seen = spent
                steady = max(level, min(spent, self._spent))
            self._spent = spent
        if discards:
            self._discards += discards
            self._discarded_ns = after_ns
        discarding = self._discarded_ns != NEVER and mono_ns - self._discarded_ns < DISCARDING_NS
        ages = None
        if not left:
            self._drought.step(level, after_ns)
        elif was:
            ages = self._drought.end(last_before)
        for meter in self._terms:
            if self._quiet:
                meter.bounds.first(last_before, last_after, was, self._settled)
            bounds = meter.bounds
            if ages:
                bounds.hold(ages)
            proved, sharp_lo, sharp_hi = bounds.lo, bounds.sharp_lo, bounds.sharp_hi
            bounds.step(mono_ns, after_ns, level, settled, reads, read_ms, writes, write_ms, discards, calm)
            unit, extra = 1, 0
            units = done
            if largest > meter.unit_bytes or meter.labels.unit_micro != MICRO:
                unit = -(-largest // meter.unit_bytes) or 1
                # Who is in flight may be as large as can be; all others have moved bytes, at the latest now. The kernel
                # counts them before the I/O: at most a sub-interval earlier.
                unsized = level + discards
                extra = (unsized if unsized < arrived else arrived) * (unit - 1)
                extra += (size + self._size) // meter.unit_bytes
                meter.labels.unit_micro = self._largest.unit_micro(meter.unit_bytes)
                if size > meter.unit_bytes:
                    units += -(-size // meter.unit_bytes) - 1
            meter.cover.step(
                arrived,
                left,
                was,
                level,
                least_ns,
                most_ns,
                bounds.lo - proved,
                unit,
                extra,
                discards,
                discarding,
            )
            meter.labels.step(arrived, left, seen, lasted_ns, held_ms, steady)
            slow = 0
            if reads:
                us = meter.read_us
                most = read_ms * 1000 // us
                if writes:
                    meter.read_caps.append((0, most if most < reads else reads, place))
                else:
                    low, high = bounds.sharp_lo - sharp_lo, bounds.sharp_hi - sharp_hi
                    meter.read_caps.append(_cap(low, high, most, reads, place))
                if (read_ms - 1) * 1000 >= reads * us:
                    slow = reads
            if writes:
                us = meter.write_us
                most = write_ms * 1000 // us
                if reads:
                    meter.write_caps.append((0, most if most < writes else writes, place))
                else:
                    low, high = bounds.sharp_lo - sharp_lo, bounds.sharp_hi - sharp_hi
                    meter.write_caps.append(_cap(low, high, most, writes, place))
                if (write_ms - 1) * 1000 >= writes * us:
                    slow += writes
            if discarding:
                meter.lost.while_discarding(done, held_ms, discards, level, mono_ns, after_ns, last_before)
            else:
                meter.lost.step(
                    done, units, slow, was, level, mono_ns, after_ns, least_ns, last_before, last_after, self._done
                )
        self._last = counters
        self._before_ns = mono_ns
        self._after_ns = after_ns
        self._in_flight = level
        self._settled = settled
        self._size = size
        self._done = left
        self._quiet = not level and not left
        if level < RANKS:
            calm[level:] = [mono_ns] * (RANKS - level)

    def _begin(self, mono_ns: int, after_ns: int, counters: Counters) -> None:
        """Take the first reading: it ends no sub-interval."""
        level = counters[8]
        if level is None or level >= IMPOSSIBLE_IN_FLIGHT:
            level = 0
        self._last = counters
        self._before_ns, self._after_ns = mono_ns, after_ns
        self._in_flight = level
        self._quiet = not level
        if level < RANKS:
            self._calm[level:] = [mono_ns] * (RANKS - level)
        self._forget_second()
        for meter in self._terms:
            meter.restart()
            meter.bounds.first(mono_ns, after_ns, level, 0)
            meter.cover.restart(level, -(-self._largest.bytes // meter.unit_bytes) or 1)
            meter.labels.restart(level)

    def close_second(self, exact: Exact | None = None) -> dict[int, SecondCounts]:
        """The counts of each term, by its number, since the last call; begins a new second.

        exact: the same second's I/Os where each one was timed.
        """
        out: dict[int, SecondCounts] = {}
        ios = self._reads + self._writes
        step_ns = self._stepped_ns // self._steps if self._steps else 0
        self.urgent = False
        for meter in self._terms:
            counts = meter.close(
                self._reads, self._writes, self._discards, step_ns, self._read_model, self._write_model, exact
            )
            out[meter.term.term] = counts
            slow = counts.read_est + counts.write_est
            if counts.lost_ms or (ios and slow and 2 * slow >= counts.covered_est):
                self.urgent = True
        self._forget_second()
        return out

    def _forget_second(self) -> None:
        """Begin a second's sums: after the last one, or after a reset in the middle of one, which is unknown then."""
        self._reads = self._writes = self._discards = 0
        self._steps = self._stepped_ns = self._place = 0
        self._read_model.forget()
        self._write_model.forget()

    def raw(self, term: int) -> RawCounts:
        """The last closed second's slow I/Os among all I/Os by one term. Raises KeyError if there is no such term."""
        for meter in self._terms:
            if meter.term.term == term:
                return meter.raw
        raise KeyError(term)

    def pool(self, term: int) -> int:
        """At most how many excess I/Os are in flight now (a frame's pool_start)? Raises KeyError for no such term."""
        for meter in self._terms:
            if meter.term.term == term:
                return meter.cover.held
        raise KeyError(term)

    def second_hist(self) -> tuple[dict[int, int], dict[int, int]]:
        """Reads and writes by R40 bucket since the last take, which stay: an estimate by sub-intervals' means."""
        return self._read_hist.peek(), self._write_hist.peek()

    def take_histograms(self) -> tuple[dict[int, int], dict[int, int]]:
        """Reads and writes by R40 bucket since the last take, which are gone then."""
        return self._read_hist.take(), self._write_hist.take()


def _cap(least: int, most: int, by_sum: int, ios: int, place: int) -> Cap:
    """What a sub-interval of one direction may hold, from its share of the second's bounds and from its sum."""
    if most > by_sum:
        most = by_sum
    if most > ios:
        most = ios
    if most < 0:
        most = 0
    return (least if least < most else most), most, place
