"""How many of a second's I/Os were slow where each one was timed: one figure, not an interval.

The kernel's counters say how many I/Os a second holds, the exact counts how long they took. Both are read one after
the other, so a few I/Os that ended in between are counted already and belong to the next second: they are kept for it.
Nothing is counted twice and nothing is lost; at a second's edge, which of the I/Os those few were is not known.
"""

from __future__ import annotations

from collections import namedtuple

from .r40 import slow_between

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict

    Counts = Dict[int, int]

# More I/Os than end between two reads in a row: then the two do not count the same thing, and the second is not exact.
# A sampler is late by a millisecond at worst: 200 I/Os of a disk that does 200,000 a second.
MOST_EARLY, EARLY_PART = 256, 4
# Some kernels skip some calls of a program. More than one in fifty is no exact source.
MOST_MISSING, MISSING_PART = 8, 50


class Exact(namedtuple("Exact", "read_hist write_hist read_missing write_missing")):
    """One second: I/Os by R40 bucket of each direction, and how many more were completed than were timed."""

    __slots__ = ()

    def reads(self, threshold_us: int) -> tuple[int, int]:
        """At least, at most so many reads took the threshold or longer: equal where it is an R40 edge."""
        low, high = slow_between(self.read_hist, threshold_us)
        return low, high + self.read_missing

    def writes(self, threshold_us: int) -> tuple[int, int]:
        """The same for writes."""
        low, high = slow_between(self.write_hist, threshold_us)
        return low, high + self.write_missing


class Shared:
    """The exact counts of one direction shared out to the seconds that the counters put the I/Os in."""

    __slots__ = ("early",)

    def __init__(self) -> None:
        self.early: Counts = {}

    def second(self, timed: Counts, ios: int) -> tuple[Counts, int] | None:
        """From what was timed since the last call: the second's I/Os by bucket, and how many of `ios` were not timed.

        None where the two disagree by more than reading them one after the other explains.
        """
        hist = dict(timed)
        for bucket, count in self.early.items():
            hist[bucket] = hist.get(bucket, 0) + count
        self.early = {}
        spare = sum(hist.values()) - ios
        if spare < 0:
            return None if -spare > max(MOST_MISSING, ios // MISSING_PART) else (hist, -spare)
        if spare > max(MOST_EARLY, ios // EARLY_PART):
            return None
        # The fastest are put off: a slow I/O is told in the second in which it was seen.
        for bucket in sorted(hist):
            if not spare:
                break
            moved = min(spare, hist[bucket])
            self.early[bucket] = moved
            hist[bucket] -= moved
            spare -= moved
        return {bucket: count for bucket, count in hist.items() if count}, 0
