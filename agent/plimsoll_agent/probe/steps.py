"""What did each step of concurrency give, and which is the highest load that still meets the contract?"""

from __future__ import annotations

from collections import namedtuple

from ..core.r40 import percentile_us, slow_between

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Mapping, Sequence

HIGHEST = 256
P99 = 0.99


class Promise(namedtuple("Promise", "threshold_us objective_ppm iops")):
    """What the disk must hold: so many millionths of the I/Os within the threshold, up to this load (0: any)."""

    __slots__ = ()


class Step(namedtuple("Step", "concurrency seconds ios sum_us histogram")):
    """One step as measured; histogram: I/Os by R40 bucket."""

    __slots__ = ()

    @property
    def iops(self) -> float:
        return self.ios / self.seconds if self.seconds else 0.0

    @property
    def await_ms(self) -> float | None:
        """Mean time of an I/O. None: there was none."""
        return self.sum_us / self.ios / 1000 if self.ios else None

    @property
    def queue(self) -> float:
        """Mean number in flight, by Little's law."""
        return self.sum_us / 1e6 / self.seconds if self.seconds else 0.0

    @property
    def p99_ms(self) -> float | None:
        """Upper edge of the bucket that holds the 99th percentile. None: no I/O, or beyond 100 s."""
        us = percentile_us(self.histogram, P99)
        return None if us is None else us / 1000

    def slow(self, promise: Promise) -> int:
        """I/Os over the threshold; one inside its bucket counts as slow."""
        return slow_between(self.histogram, promise.threshold_us)[1]

    def meets(self, promise: Promise) -> bool:
        """Is the promise kept at this load?"""
        return bool(self.ios) and self.slow(promise) * 1_000_000 <= self.ios * (1_000_000 - promise.objective_ppm)

    def told(self, promise: Promise) -> Dict[str, Any]:
        """As JSON tells it."""
        return {
            "concurrency": self.concurrency,
            "seconds": round(self.seconds, 3),
            "ios": self.ios,
            "iops": round(self.iops, 1),
            "await_ms": None if self.await_ms is None else round(self.await_ms, 3),
            "queue": round(self.queue, 2),
            "p99_ms": self.p99_ms,
            "slow": self.slow(promise),
            "met": self.meets(promise),
            "hist": [[bucket, self.histogram[bucket]] for bucket in sorted(self.histogram)],
        }


def next_concurrency(done: Sequence[Step], promise: Promise) -> int | None:
    """Double until the promise breaks, then halve the gap twice. None: the tipping point is known well enough.

    It also ends where the contracted load is exceeded and kept: what lies above is nobody's promise.
    """
    if not done:
        return 1
    met = [step.concurrency for step in done if step.meets(promise)]
    failed = [step.concurrency for step in done if not step.meets(promise)]
    if not failed:
        if promise.iops and any(step.iops >= promise.iops for step in done):
            return None
        return max(met) * 2 if max(met) < HIGHEST else None
    low, high = max((at for at in met if at < min(failed)), default=0), min(failed)
    return (low + high) // 2 if high - low > max(1, high // 4) and low else None


def tipping_point(done: Sequence[Step], promise: Promise) -> Step | None:
    """The most I/Os a second among the steps below the first that breaks the promise. None: not even one at a time."""
    failed = min((step.concurrency for step in done if not step.meets(promise)), default=HIGHEST + 1)
    good = [step for step in done if step.concurrency < failed]
    return max(good, key=lambda step: step.iops) if good else None


def merged(concurrency: int, seconds: float, parts: Sequence[Mapping[int, int]], sums_us: Sequence[float]) -> Step:
    """One step from what its workers measured."""
    total: Dict[int, int] = {}
    for part in parts:
        for bucket, count in part.items():
            total[bucket] = total.get(bucket, 0) + count
    return Step(concurrency, seconds, sum(total.values()), sum(sums_us), total)


def table(done: List[Step], promise: Promise) -> str:
    """The steps for a reader."""
    lines = ["in flight      IOPS   await ms     queue    p99 ms   within"]
    for step in done:
        share = 100 - 100 * step.slow(promise) / step.ios if step.ios else 0.0
        share = int(share * 100) / 100  # rounded down, as every share that must reach an objective
        lines.append(
            f"{step.concurrency:9d} {step.iops:9.1f} {step.await_ms or 0:10.3f} {step.queue:9.2f} "
            f"{'over' if step.p99_ms is None else format(step.p99_ms, '.2f'):>9} {share:7.2f}%"
            f"{'' if step.meets(promise) else '  not met'}"
        )
    return "\n".join(lines)
