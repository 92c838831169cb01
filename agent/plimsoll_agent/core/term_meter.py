"""How many of a second's I/Os were slow by one term, how many were covered?

What is kept for a term from sample to sample (core/meter.py feeds it), and how a second is closed.
"""

from __future__ import annotations

from collections import namedtuple

from .bounds import SlowBounds
from .calm import CalmShare
from .estimate import Cap, LatencyModel, Whole
from .ideal import MICRO, CoverBounds
from .labels import Labels
from .lost import LostTime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .exact import Exact
    from .terms import Term

NS_PER_MS = 1_000_000
FEW_COVERED = 20  # less than one in so many


class SecondCounts(
    namedtuple(
        "SecondCounts",
        "read_lo read_hi read_est write_lo write_hi write_est covered_est excess_lo excess_hi lost_ms",
    )
):
    """One term's counts of one second (design protocol, `slow`): I/Os, arrivals for excess_*, ms for lost_ms.

    0 <= lo <= est <= hi <= I/Os of the direction; covered_est counts reads and writes.
    """

    __slots__ = ()


class RawCounts(namedtuple("RawCounts", "ios lo est hi")):
    """One second's slow I/Os among all I/Os, covered or not."""

    __slots__ = ()


class TermMeter:
    """Everything that is kept for one term."""

    __slots__ = (
        "bounds",
        "cover",
        "labels",
        "lost",
        "raw",
        "read_calm",
        "read_caps",
        "read_us",
        "read_whole",
        "term",
        "threshold_us",
        "unit_bytes",
        "write_calm",
        "write_caps",
        "write_us",
        "write_whole",
    )

    def __init__(self, term: Term, trusted: bool, jiffy_ms: int) -> None:
        self.term = term
        self.read_us = term.read_threshold_us
        self.write_us = term.write_threshold_us
        self.threshold_us = max(self.read_us, self.write_us)
        self.bounds = SlowBounds(term.read_threshold_us, term.write_threshold_us, trusted, jiffy_ms)
        self.cover = CoverBounds(term.rate_micro, term.depth, trusted)
        self.labels = Labels(term.rate_micro, term.iops, term.depth)
        self.lost = LostTime(term.rate_micro, term.depth, self.threshold_us)
        self.read_calm = CalmShare()
        self.write_calm = CalmShare()
        # Of each sub-interval in which reads (writes) completed: at least, at most so many were slow.
        self.read_caps: list[Cap] = []
        self.write_caps: list[Cap] = []
        self.read_whole = Whole()
        self.write_whole = Whole()
        self.unit_bytes = term.io_unit_bytes
        self.raw = RawCounts(0, 0, 0, 0)

    def restart(self) -> None:
        self.bounds.restart()
        self.lost.restart()
        self.read_caps = []
        self.write_caps = []

    def close(
        self,
        reads: int,
        writes: int,
        discards: int,
        step_ns: int,
        read_model: LatencyModel,
        write_model: LatencyModel,
        exact: Exact | None = None,
    ) -> SecondCounts:
        """Close a second of so many completions: bounds, estimate, labels, lost time; begins the next one.

        step_ns: how long its sub-intervals are, about. Models: what is known of either direction's latencies.
        exact: where each I/O was timed; its figures then stand in the place of the bounds' and of the estimate.
        """
        bounds, cover, labels, lost = self.bounds, self.cover, self.labels, self.lost
        labels.close()
        high_r, high_w = min(bounds.read_hi, reads), min(bounds.write_hi, writes)
        read_est = read_model.expected(self.read_us, self.read_caps, step_ns, labels.levels)
        write_est = write_model.expected(self.write_us, self.write_caps, step_ns, labels.levels)
        rate, unit = self.term.rate_micro / MICRO, labels.unit_micro / MICRO
        for model, share, caps, us in (
            (read_model, self.read_calm, self.read_caps, self.read_us),
            (write_model, self.write_calm, self.write_caps, self.write_us),
        ):
            if model.steps:
                places = [place for _, _, place in caps]
                share.learn(model.steps, places, labels.levels, us, rate, unit, step_ns / NS_PER_MS)
        both = read_est + write_est
        sharp = min(max(both, bounds.sharp_lo), bounds.high_in_second())
        if both:
            read_est *= sharp / both
            write_est *= sharp / both
        elif sharp:
            read_est, write_est = (sharp, 0.0) if reads else (0.0, sharp)
        low_r, low_w = bounds.read_lo, bounds.write_lo
        low = min(bounds.lo, reads + writes)
        high = max(low, min(bounds.hi, reads + writes))
        # What the pool of excess I/Os used up may have been reads or writes: it is taken from both.
        used = bounds.lo - cover.lo
        if exact is not None:
            low_r, most = exact.reads(self.read_us)
            # What was not timed is bounded by the sums, as everything is without this source.
            high_r = max(low_r, min(most, high_r)) if exact.read_missing else most
            low_w, most = exact.writes(self.write_us)
            high_w = max(low_w, min(most, high_w)) if exact.write_missing else most
            low, high = low_r + low_w, high_r + high_w
            # As if the second were one sub-interval (design semantics §4: P, u); finer ones may have proved more.
            used = max(0, min(low, cover.began + cover.excess_hi, low - cover.lo))
        read_all = self.read_whole.of(read_est, min(low_r, high_r), high_r)
        write_all = self.write_whole.of(write_est, min(low_w, high_w), high_w)
        self.raw = RawCounts(reads + writes, low, min(max(read_all + write_all, low), high), high)
        counts = _covered(self, reads, writes, discards, read_all, write_all, (low_r, high_r), (low_w, high_w), used)
        bounds.close()
        cover.close()
        labels.forget()
        lost.close()
        self.read_caps = []
        self.write_caps = []
        return counts


def _covered(
    meter: TermMeter,
    reads: int,
    writes: int,
    discards: int,
    read_all: int,
    write_all: int,
    read_bounds: tuple[int, int],
    write_bounds: tuple[int, int],
    used: int,
) -> SecondCounts:
    """From all slow I/Os to the covered ones (design semantics §4: slow among covered).

    Of either direction: the estimate of all slow ones and their bounds. used: so many slow ones may be excess.
    """
    cover, labels = meter.cover, meter.labels
    (low_r, high_r), (low_w, high_w) = read_bounds, write_bounds
    ios = reads + writes
    covered, excess = labels.covered, labels.excess
    if discards:
        # Labels go by what left the queue; nobody knows which of them were the discards.
        covered, excess = (count * ios // (ios + discards) for count in (covered, excess))
    covered = min(covered, ios)
    everything = read_all + write_all
    slow = everything
    if excess and ios:
        # Where nearly all is excess, a label that errs weighs more than all that is covered.
        few = covered * FEW_COVERED < ios
        slow = 0 if few else max(0, everything - excess - labels.doubtful)
        # Neither direction's label is known: its I/Os share the covered ones.
        part = covered * reads // ios
        slow = max(slow, meter.read_calm.of(part) + meter.write_calm.of(covered - part))
        slow = min(slow, everything)
    slow = min(slow, covered)
    read_low = min(max(0, low_r - used), high_r)
    write_low = min(max(0, low_w - used), high_w)
    slow = max(slow, read_low + write_low)
    read_part = (slow * read_all + everything // 2) // everything if everything else read_low
    read_part = min(max(read_part, read_low, slow - high_w), high_r)
    write_part = min(max(slow - read_part, write_low), high_w)
    return SecondCounts(
        read_low,
        high_r,
        read_part,
        write_low,
        high_w,
        write_part,
        max(covered, read_part + write_part),
        cover.excess_lo,
        cover.excess_hi,
        meter.lost.ns // NS_PER_MS,
    )
