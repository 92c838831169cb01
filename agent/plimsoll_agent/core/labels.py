"""Which completions were probably covered? First in, first out, with a guess at when in a sub-interval I/Os came.

Only the estimate uses these labels (design semantics §4, "edge"); proof is in ideal.py.
"""

# The sampler pays for every call here, hundreds of times a second and term.
# ruff: noqa: PLR1730

from __future__ import annotations

from .calm import BUSY, QUEUED
from .ideal import MICRO, NS

COARSE_NS = 1_000_000_000  # steps from here on are judged by the mean in flight
MS = 1_000_000
CROWD = 4
DOUBT = 23  # where arrivals are covered only in part, labels may err by so much of what the ideal disk does, in percent


class Labels:
    """Running labels of one term: `covered` and `excess` completions of the second.

    `levels` holds of each of its sub-intervals how many were in flight around it, BUSY near the depth, QUEUED with
    excess; `doubtful` is how many labels may err.

    Labels lag one sub-interval behind, because the guess looks at the arrivals after it; close() catches up.
    """

    __slots__ = (
        "_backlog",
        "_depth",
        "_half",
        "_iops",
        "_level",
        "_line",
        "_pending",
        "_previous",
        "_rate",
        "_steady",
        "covered",
        "doubtful",
        "excess",
        "levels",
        "unit_micro",
    )

    def __init__(self, rate_micro: int, iops: int, depth: int) -> None:
        self._rate = rate_micro
        self._iops = iops
        self._depth = depth * MICRO
        self._half = self._depth // 2
        self.unit_micro = MICRO  # what one I/O counts, in millionths of a unit
        self.restart(0)

    def restart(self, in_flight: int) -> None:
        """Begin afresh; I/Os already in flight are taken as covered if the ideal disk could hold them all."""
        self._backlog = self._level = self._steady = in_flight * MICRO
        self._previous = 0
        self._pending: tuple[int, int, int, int, int, int] | None = None
        # Runs of I/Os in flight, oldest first: [how many, covered?]. Mostly one run of covered ones.
        self._line: list[list[int]] = [[in_flight, 1 if in_flight * MICRO <= self._depth else 0]]
        self.forget()

    def step(self, arrived: int, done: int, level: int, lasted_ns: int, held_ms: int, steady: int) -> None:
        """Take one sub-interval: I/Os (arrived, done, in flight at its end), its length, its latency integral.

        steady: in flight as far as it lasts; `level` may hold the wait of a single slow I/O as if it were a queue.
        """
        if self._pending is not None:
            self._settle(arrived, done)
        self._pending = (arrived, done, level, lasted_ns, held_ms, steady)

    def close(self) -> None:
        """Settle what is pending without knowing what comes next."""
        if self._pending is not None:
            self._settle(0, self._pending[1])
            self._pending = None

    def forget(self) -> None:
        """Begin a new second's counts."""
        self.covered = self.excess = self.doubtful = 0
        self.levels: list[int] = []

    def _settle(self, after: int, done_after: int) -> None:
        """Label the pending sub-interval, knowing how many I/Os arrived, and ended, in the next one."""
        pending = self._pending
        assert pending is not None  # noqa: S101  (both callers have looked)
        arrived, done, level, lasted_ns, held_ms, steady = pending
        depth = self._depth
        rate = self._rate
        backlog = self._backlog
        amount = arrived * self.unit_micro
        need = rate * lasted_ns // NS
        before = self._level
        calm = backlog <= self._half
        if backlog + amount <= depth:
            # Wherever in the sub-interval they came: all are covered.
            fits = arrived
            first = 1
            backlog += amount - need
        else:
            # More waited on average than was in flight at either end: they came, and left, all at once.
            crowd = held_ms * MS * MICRO // (lasted_ns or 1)
            now = level * self.unit_micro
            at_once = crowd > CROWD * MICRO + 2 * (before + now)
            if not at_once and now - before > depth and done_after:
                # More wait than an even stream leaves behind that is served like those that ended, and the disk goes
                # on at its pace: they came late, together.
                even = arrived * held_ms * MS // ((done or 1) * (lasted_ns or 1))
                at_once = level > CROWD + 2 * even
            at_once = at_once and lasted_ns < COARSE_NS
            fits, first, backlog = self._edge(backlog, arrived, need, after, at_once)
        if lasted_ns >= COARSE_NS:
            fits = self._coarse(fits, arrived, lasted_ns, held_ms)
        level *= self.unit_micro
        self._level = level
        was_steady = self._steady
        self._steady = steady = steady * self.unit_micro
        if backlog > level:
            backlog = level
        self._backlog = backlog if backlog > 0 else 0
        self._previous = arrived
        line = self._line
        if fits == arrived and len(line) == 1 and line[0][1]:
            head = line[0]
            head[0] += arrived - done
            if head[0] < 0:
                head[0] = 0
            self.covered += done
            most = was_steady if was_steady > steady else steady
            calm = calm and self._backlog <= self._half and most <= self._half
            self.levels.append(most // MICRO if calm else BUSY)
            return
        if 0 < fits < arrived:
            self.doubtful += max(1, need * DOUBT // MICRO // 100)
        self._put(fits, arrived - fits, first)
        self._pop(done)
        self.levels.append(QUEUED)

    def _edge(self, backlog: int, arrived: int, need: int, after: int, at_once: bool) -> tuple[int, int, int]:
        """How many of the arrivals fit, do they come first, and what is the backlog at the end?

        A burst seldom fills a sub-interval evenly: its neighbours tell whether it began or ended in this one.
        """
        amount = arrived * MICRO
        before = self._previous
        # During `during` of `need` the I/Os arrive; `lead` of it has passed before they do.
        during, lead = need, 0
        if at_once or amount > need + 2 * (before + after) * self.unit_micro:
            during, lead = 0, need // 2
        elif after > before and after > arrived:
            during = need * arrived // after
            lead = need - during
        elif before > after and before > arrived:
            during = need * arrived // before
        start = backlog - lead
        if start < 0:
            start = 0
        end = start + amount - during
        if end < 0:
            end = 0
        depth = self._depth
        left = end - (need - during - lead)
        if start <= depth and end <= depth:
            return arrived, 1, left
        if start > depth and end > depth:
            return 0, 0, left
        if end > start:
            return (arrived * (depth - start) + (end - start) // 2) // (end - start), 1, left
        return (arrived * (depth - end) + (start - end) // 2) // (start - end), 0, left

    def _coarse(self, fits: int, arrived: int, lasted_ns: int, held_ms: int) -> int:
        """In a step of a second or more the mean in flight decides, and C units a second are the most."""
        if held_ms * MICRO * MICRO <= self._depth * lasted_ns:
            fits = arrived
        most = self._iops * lasted_ns // NS
        return fits if fits < most else most

    def _put(self, fits: int, over: int, first: int) -> None:
        line = self._line
        for count, covered in ((fits, 1), (over, 0)) if first else ((over, 0), (fits, 1)):
            if count:
                if line and line[-1][1] == covered:
                    line[-1][0] += count
                else:
                    line.append([count, covered])

    def _pop(self, done: int) -> None:
        line = self._line
        while done and line:
            head = line[0]
            count = head[0]
            if count > done:
                head[0] -= done
                count = done
            else:
                del line[0]
            if head[1]:
                self.covered += count
            else:
                self.excess += count
            done -= count
        # More completions than arrivals seen (in_flight printed late): such an I/O waited for nobody.
        self.covered += done
        if not line:
            line.append([0, 1])
