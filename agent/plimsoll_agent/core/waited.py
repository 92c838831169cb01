"""How much of the time summed up after a drought must belong to those that were seen waiting in it?

While nothing completes, whoever is in flight grows old, and how old is known. Once they have completed, their ages
stand in the sums, and only what is left over can have made others slow: after a stall of 2 s in which one I/O
waited, a sum of 2.8 s is that one and at most 53 others of 15 ms, not 186.
"""

# The sampler pays for every call here, hundreds of times a second.
# ruff: noqa: PLR1730

from __future__ import annotations

US = 1000  # µs in a ms, and ns in a µs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Tuple

    Ages = List[Tuple[int, int]]  # how many I/Os, at least how old (µs) each; the oldest first


class Drought:
    """Who waits while nothing completes. Fed with every sample of a disk."""

    __slots__ = ("_seen", "_waiting")

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Forget everything: after a reset or a gap, or when something completed."""
        # Of each sample that found more waiting than the one before: how many more, and its stamp after the read.
        self._seen: list[tuple[int, int]] = []
        self._waiting = 0

    def step(self, in_flight: int, after_ns: int) -> None:
        """Take a sample in whose sub-interval nothing completed."""
        more = in_flight - self._waiting
        if more < 0:
            self.restart()
        elif more:
            self._seen.append((more, after_ns))
            self._waiting = in_flight

    def end(self, before_ns: int) -> Ages:
        """The ages, at the sample stamped `before_ns`, of all that wait; the drought is over then."""
        ages = [(count, (before_ns - seen_ns) // US) for count, seen_ns in self._seen]
        self.restart()
        return ages


class Waited:
    """Of one term: at most how many slow I/Os have completed since the last drought worth remembering?"""

    __slots__ = ("_ages", "_count", "_gone", "_left", "_spent_ms", "_sum_us", "high")

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Forget everything."""
        self._ages: Ages = []
        self._count = self._sum_us = self._spent_ms = self._gone = self._left = 0
        self.high = 0

    def hold(self, ages: Ages, threshold_us: int, high: int) -> None:
        """Take the ages of those that waited when a drought ended; `high`: at most so many had been slow until then.

        Only ages of a threshold or more are of use. What is known already is kept if it is more.
        """
        ages = [one for one in ages if one[1] >= threshold_us]
        sum_us = sum(count * age for count, age in ages)
        if self._ages and self._sum_us >= sum_us:
            return
        self.restart()
        if ages:
            self._ages = ages
            self._count = self._left = sum(count for count, _ in ages)
            self._sum_us = sum_us
            self.high = high

    def slow(self, sum_ms: int, discards: int, in_flight: int, threshold_us: int) -> int | None:
        """At most how many reads and writes completed since then were slow, or None if nothing is known?

        Of this sub-interval: summed latency of reads and writes, completed discards, in flight at its end.
        """
        if not self._ages:
            return None
        self._spent_ms += sum_ms
        self._gone += discards
        # So many of them may not be among the completed reads and writes: still in flight, or a discard.
        away = in_flight + self._gone
        if away < self._left:
            self._left = away
        away = self._left
        if away >= self._count:
            return None
        count, sum_us = self._count, self._sum_us
        for many, age in self._ages:
            if away <= 0:
                break
            longest = many if many < away else away
            away -= longest
            count -= longest
            sum_us -= longest * age
        # Each direction's sum is cut to whole ms: the true one is less than 1 ms more.
        rest = (self._spent_ms + 2) * US - 1 - sum_us
        if not in_flight:
            self._ages = []
        return count + (rest // threshold_us if rest > 0 else 0)
