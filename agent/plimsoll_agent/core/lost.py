"""How much time did a disk lose by delivering too little or nothing while work was waiting? (design semantics §4)"""

# The sampler pays for every call here, hundreds of times a second and term.
# ruff: noqa: PLR1730

from __future__ import annotations

from .ideal import MICRO, NS

STALL_THRESHOLDS = 10  # nothing completed for so many thresholds is a stall, not a slow I/O
DISCARD_NS = 10 * NS  # a large discard takes seconds on some disks; what hangs for longer is none
NS_PER_MS = 1_000_000


class LostTime:
    """Lost time of one term: `ns` is that of the running second, proved.

    Short delivery: in a run of samples with more than `depth` in flight the disk owes the contracted rate; what is
    owed beyond rate x threshold is lost. It counts once half of the run's completions were slow.
    Stall: work in flight and nothing completed for 10 thresholds; all of it but one threshold is lost.
    While discards come and go, those in flight may be discards, which the contract says nothing of: then only what
    reads and writes are known to have waited is lost.
    """

    __slots__ = (
        "_allowed",
        "_debt",
        "_depth",
        "_done",
        "_drought",
        "_drought_lost",
        "_dry_since",
        "_held_back",
        "_rate",
        "_slow",
        "_threshold_ns",
        "ns",
    )

    def __init__(self, rate_micro: int, depth: int, threshold_us: int) -> None:
        self._rate = rate_micro
        self._depth = depth
        self._threshold_ns = threshold_us * 1000
        self._allowed = rate_micro * self._threshold_ns // NS + MICRO
        self.restart()

    def restart(self) -> None:
        """Forget everything: after a reset or a gap."""
        self._end_run()
        self._drought = False
        self._dry_since = 0
        self._drought_lost = 0
        self.ns = 0

    def close(self) -> None:
        """Begin a new second."""
        self.ns = 0

    def _end_run(self) -> None:
        self._debt = self._done = self._slow = self._held_back = 0

    def step(
        self,
        done: int,
        units: int,
        slow: int,
        was: int,
        now: int,
        before_ns: int,
        after_ns: int,
        least_ns: int,
        last_before_ns: int,
        last_after_ns: int,
        last_done: int,
    ) -> None:
        """Take one sub-interval: completions (I/Os, most units they can be worth, slow by their mean), in flight
        before and now, the stamps of this sample and the last, what lies between at least, and the completions of
        the sub-interval before.
        """
        if done or not was or not now:
            self._drought = False
            self._drought_lost = 0
        elif not self._drought:
            self._drought = True
            # An I/O that ended between the kernel's two figures stands in in_flight too: begin one sample later.
            self._dry_since = last_after_ns if was > last_done else after_ns
        if was > self._depth and now > self._depth:
            self._short(done, units, slow, was, least_ns)
        elif self._done or self._debt:
            self._end_run()
        if self._drought:
            self._stall(before_ns)

    def while_discarding(
        self,
        done: int,
        sum_ms: int,
        discards: int,
        now: int,
        before_ns: int,
        after_ns: int,
        last_before_ns: int,
    ) -> None:
        """Take one sub-interval in which some of those in flight may be discards.

        Completed reads and writes, their summed latency, completed discards, in flight at its end; stamps as in step().
        """
        self._end_run()
        if now and not done and not discards:
            if not self._drought:
                self._drought = True
                self._dry_since = after_ns
            if before_ns - self._dry_since >= DISCARD_NS:
                self._stall(before_ns)
            return
        if self._drought and discards:
            self.ns -= min(self.ns, self._drought_lost)
        elif self._drought and done:
            # One of them took at least the mean, and ended in this sub-interval: so long it waited in the drought.
            waited = (sum_ms - 2) * NS_PER_MS // done - (after_ns - last_before_ns)
            self._stall(min(last_before_ns, self._dry_since + max(0, waited)))
        self._drought = False
        self._drought_lost = 0

    def _short(self, done: int, units: int, slow: int, was: int, least_ns: int) -> None:
        self._done += done
        self._slow += slow
        need = self._rate * least_ns // NS
        if need > (self._depth + 1) * MICRO and was - done <= self._depth:
            # So long a step that the queue may have run dry and filled again: nothing is owed for certain.
            need = 0
        debt = self._debt + need - units * MICRO
        if debt < 0:
            debt = 0
        over = debt - self._allowed
        if over > 0:
            debt = self._allowed
            self._held_back += over * NS // self._rate
        self._debt = debt
        if self._held_back and 2 * self._slow >= self._done:
            self.ns += self._held_back
            if self._drought:
                self._drought_lost += self._held_back
            self._held_back = 0

    def _stall(self, before_ns: int) -> None:
        gap = before_ns - self._dry_since
        if gap < STALL_THRESHOLDS * self._threshold_ns:
            return
        more = gap - self._threshold_ns - self._drought_lost
        if more > 0:
            self.ns += more
            self._drought_lost += more
