"""How large can one I/O in flight be? The ideal disk counts a large I/O as several units (design semantics §2, §4)."""

from __future__ import annotations

MICRO = 1_000_000
REMEMBERED_NS = 30_000_000_000  # sizes seen in the last half to full minute count


class LargestIo:
    """The largest I/O that may be among those in flight, from the bytes of sub-intervals.

    Counters hold no single sizes. Of n I/Os with b bytes together, one may have all but what the others hold at
    least, and those are taken to be as large as the smallest mean that was seen; in steps too long to tell I/Os
    apart, half as large.
    """

    __slots__ = ("_all", "_before", "_ios", "_now", "_small", "_small_before", "_small_now", "_until", "bytes")

    def __init__(self) -> None:
        self._now = self._before = 0
        self._small_now = self._small_before = 0
        self._until = 0
        self.bytes = 0
        self._small = self._all = self._ios = 0

    def add(self, now_ns: int, n: int, size: int, is_long: bool) -> None:
        """Take a sub-interval that ended at now_ns in which `n` I/Os moved `size` bytes."""
        if now_ns >= self._until:
            self._before, self._small_before = self._now, self._small_now
            self._now = self._small_now = 0
            self._until = now_ns + REMEMBERED_NS
            self._all //= 2
            self._ios //= 2
        mean = size // n
        if mean and (not self._small_now or mean < self._small_now):
            self._small_now = mean
        small = self._small_now
        if self._small_before and self._small_before < small:
            small = self._small_before
        self._small = small
        self._all += size
        self._ios += n
        largest = size - (n - 1) * (small >> 1 if is_long else small)
        self._now = max(self._now, largest)
        self.bytes = self._now if self._now > self._before else self._before

    def unit_micro(self, unit_bytes: int) -> int:
        """What one I/O counts on average, in millionths of a unit: as if there were only the smallest and the largest
        size. Exact for one size, and for two."""
        large, small = self.bytes, self._small
        if large <= unit_bytes or not self._ios:
            return MICRO
        mean = self._all // self._ios
        small_units = -(-small // unit_bytes) or 1
        if large <= small:
            return small_units * MICRO
        share = min(max(mean - small, 0), large - small)
        return (small_units * (large - small - share) + -(-large // unit_bytes) * share) * MICRO // (large - small)
