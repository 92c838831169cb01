"""How many I/Os were slow, at least and at most, when only sums of latencies are known?

Design semantics §3. A slow I/O is one whose latency reaches its direction's threshold. Four facts prove something:
the sum of a sub-interval's latencies (Markov's inequality, both ways), and the number in flight at earlier samples.
"""

# The sampler pays for every call here, hundreds of times a second and term.
# ruff: noqa: PLR0912, PLR0915, PLR1730

from __future__ import annotations

from .waited import Waited

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .waited import Ages

US = 1000  # µs in a ms, and ns in a µs
NEVER = -1
RANKS = 32  # so many of the oldest I/Os in flight have an age of their own
# Samples older than the longest threshold plus this many are of no use to any rule.
SPARE = 4


def most_slow(n: int, sum_ms: int, slack_ms: int, threshold_us: int) -> int:
    """At most how many of `n` I/Os reached the threshold, if their latencies sum to less than sum_ms + slack_ms?"""
    most = ((sum_ms + slack_ms) * US - 1) // threshold_us
    return most if most < n else n


def least_slow(n: int, sum_ms: int, slack_ms: int, threshold_us: int, calm: list[int], after_ns: int) -> int:
    """At least how many of `n` I/Os took the threshold or longer?

    Their latencies sum to more than sum_ms - slack_ms. calm[j] is when the disk was last seen with at most j in
    flight (NEVER if it was not): so at most j I/Os that complete at after_ns are older than that, and no I/O can
    have taken longer than all of them together. The fewest slow ones are had if the oldest are as slow as can be
    and all others are just not slow.
    """
    if not n:
        return 0
    left = (sum_ms - slack_ms) * US
    all_us = (sum_ms + slack_ms) * US
    ranks = n if n < len(calm) else len(calm)
    seen = calm[ranks - 1]
    youngest = all_us if seen == NEVER else (after_ns - seen) // US + 1
    if left < n * (youngest if youngest < threshold_us else threshold_us):
        return 0
    most = 0
    gains = []
    for rank in range(ranks):
        seen = calm[rank]
        age = all_us if seen == NEVER else (after_ns - seen) // US + 1
        if age > all_us:
            age = all_us
        if age > threshold_us:
            gains.append(age - threshold_us)
            most += threshold_us
        else:
            most += age
    rest, last = n - ranks, age - threshold_us  # the others are as old as the last of these at most
    most += rest * (threshold_us if last > 0 else age)
    least = 0
    for gain in gains:
        if left < most:
            return least
        least += 1
        most += gain
    if rest and last > 0 and left >= most:
        least += min(rest, (left - most) // last + 1)
    return least


class SlowBounds:
    """The running bounds of one term in one second, sample after sample.

    Proof per direction is in read_lo/hi and write_lo/hi, and of the sum in lo and hi (which may be tighter than the
    directions' own figures: in_flight caps the sum). Where in_flight proves nothing (`trusted` false) these hold
    the sums' bounds only, while sharp_lo and sharp_hi still follow every rule, for the estimate.

    All I/O counts; times in ns (stamps) and ms (sums). A sample is stamped before and after its read.
    """

    __slots__ = (
        "_discards",
        "_fast",
        "_jiffy",
        "_latest",
        "_read_us",
        "_rows",
        "_second_high",
        "_slow",
        "_trusted",
        "_waited",
        "_write_us",
        "_written",
        "hi",
        "lo",
        "overdue",
        "read_hi",
        "read_lo",
        "sharp_hi",
        "sharp_lo",
        "write_hi",
        "write_lo",
    )

    def __init__(self, read_us: int, write_us: int, trusted: bool, jiffy_ms: int) -> None:
        """`jiffy_ms` is 0 where the kernel adds nanoseconds, else what it may err by for each I/O (bio-based)."""
        self._read_us = read_us
        self._write_us = write_us
        self._fast = min(read_us, write_us) * US
        self._slow = max(read_us, write_us) * US
        self._trusted = trusted
        self._jiffy = jiffy_ms
        self._waited = Waited()
        self.restart()

    def restart(self) -> None:
        """Forget everything: after a reset or a gap."""
        # Rows: before_ns, after_ns, in_flight, completed so far, completed in the row's own sub-interval, high so far.
        self._rows: list[tuple[int, int, int, int, int, int]] = []
        self._latest = 0
        self.sharp_hi = 0
        self._waited.restart()
        self.close()

    def close(self) -> None:
        """Begin a new second: counts restart at 0, what is overdue now stays known."""
        self._written = self._latest
        self._second_high = self.sharp_hi
        self.overdue = self._latest
        self._discards = 0
        self.lo = self.hi = self.sharp_lo = 0
        self.read_lo = self.read_hi = self.write_lo = self.write_hi = 0

    def first(self, before_ns: int, after_ns: int, in_flight: int, completed: int) -> None:
        """Take a sample that ends no sub-interval (the first one, or the last of an idle run)."""
        if self._rows:
            self._rows.clear()
        self._rows.append((before_ns, after_ns, in_flight, completed, 0, self.sharp_hi))
        self._latest = 0
        self._written = max(self._written, self.sharp_lo + self._discards)

    def high_in_second(self) -> int:
        """At most how many were slow in this second, if in_flight may be believed."""
        return self.sharp_hi - self._second_high

    def hold(self, ages: Ages) -> None:
        """A drought ended at the last sample: so many were in flight, at least so old each."""
        self._waited.hold(ages, self._fast // US, self.sharp_hi)

    def step(
        self,
        before_ns: int,
        after_ns: int,
        in_flight: int,
        completed: int,
        reads: int,
        read_ms: int,
        writes: int,
        write_ms: int,
        discards: int,
        calm: list[int],
    ) -> None:
        """Take the sample that ends a sub-interval in which so many I/Os completed with such sums of latency.

        completed: reads, writes and discards so far. Discards are in flight too, but neither slow nor fast.
        """
        low = read_low = write_low = high = read_high = write_high = 0
        if reads:
            slack = 1 + reads * self._jiffy
            us = self._read_us
            read_high = high = most_slow(reads, read_ms, slack, us)
            if read_high:
                read_low = low = least_slow(reads, read_ms, slack, us, calm, after_ns)
        if writes:
            slack = 1 + writes * self._jiffy
            us = self._write_us
            write_high = most_slow(writes, write_ms, slack, us)
            if write_high:
                write_low = least_slow(writes, write_ms, slack, us, calm, after_ns)
                high += write_high
                low += write_low

        # A slow I/O completing here was in flight at every earlier sample at most one threshold before its end:
        # all that completed slow since such a sample are among those that were in flight then.
        rows = self._rows
        floor_high = self._second_high
        total = self.sharp_hi + high
        since = after_ns - self._fast
        place = len(rows) - 1
        waiting = in_flight
        while place >= 0:
            row = rows[place]
            if row[0] < since:
                break
            held = row[2]
            cap = row[5] if row[5] > floor_high else floor_high
            if cap + held < total:
                total = cap + held
            if held < waiting:
                waiting = held
            place -= 1
        # The newest sample one threshold ago: who was in flight then and is still, is overdue.
        until = before_ns - self._slow
        while place >= 0 and rows[place][1] > until:
            if rows[place][2] < waiting:
                waiting = rows[place][2]
            place -= 1
        late = 0
        if place >= 0 and waiting:
            row = rows[place]
            late = row[2] - (completed - row[3])
            if late > 0 and row[4]:
                # The kernel prints in_flight before the counters: an I/O that ends in between stands in both. Either
                # that did not happen (at most row[4] times), or the sample before must bear the figure out.
                sure = late - row[4]
                if place:
                    row = rows[place - 1]
                    also = row[2] - (completed - row[3])
                    if also > late:
                        also = late
                    if also > sure:
                        sure = also
                late = sure
            if late > waiting:
                late = waiting
            if late < 0:
                late = 0

        # Who is overdue may be a discard: all of those that completed are taken to be.
        self._discards = gone = self._discards + discards
        sharp = self.sharp_lo + low
        if self._written - in_flight - gone > sharp:
            sharp = self._written - in_flight - gone
        self.sharp_lo = sharp
        if sharp + gone + late > self._written:
            self._written = sharp + gone + late
        self._latest = late
        self.overdue = late
        since_drought = self._waited.slow(read_ms + write_ms, discards, in_flight, self._fast // US)
        if since_drought is not None:
            cap = self._waited.high
            cap = since_drought + (cap if cap > floor_high else floor_high)
            if cap < total:
                total = cap
        self.sharp_hi = total
        rows.append((before_ns, after_ns, in_flight, completed, reads + writes + discards, total))
        if place > 3 * SPARE:
            del rows[: place - SPARE]

        if not self._trusted:
            # With no age to go by, a sum over n thresholds proves one slow I/O, however far it is over.
            read_low = 1 if reads and (read_ms - 1 - reads * self._jiffy) * US >= reads * self._read_us else 0
            write_low = 1 if writes and (write_ms - 1 - writes * self._jiffy) * US >= writes * self._write_us else 0
            self.lo += read_low + write_low
            self.hi += high
            self.read_lo += read_low
            self.write_lo += write_low
            self.read_hi += read_high
            self.write_hi += write_high
            return
        self.lo = sharp
        self.hi = high_now = total - floor_high
        # One direction alone: its own sums, or what the other direction cannot account for.
        read_high += self.read_hi
        write_high += self.write_hi
        self.read_hi = read_high = read_high if read_high < high_now else high_now
        self.write_hi = write_high = write_high if write_high < high_now else high_now
        read_low += self.read_lo
        write_low += self.write_lo
        self.read_lo = read_low if read_low > sharp - write_high else sharp - write_high
        self.write_lo = write_low if write_low > sharp - read_high else sharp - read_high
