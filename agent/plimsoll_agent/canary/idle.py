"""Since when has a disk done nothing, a canary's own reads apart?"""

from __future__ import annotations

from ..core.counters import FIELDS, IN_FLIGHT, Counters

COMPLETED = tuple(FIELDS.index(name) for name in ("read_ios", "write_ios", "discard_ios", "flush_ios"))


class Idle:
    """One disk. `reading`: a read of ours is at the disk; it is one I/O of the counters until it is found there."""

    __slots__ = ("_completed", "_own", "_reading", "_since_ns")

    def __init__(self) -> None:
        self._completed = 0
        self._own = 0
        self._reading = False
        self._since_ns: int | None = None

    @property
    def reading(self) -> bool:
        """Has one been sent that has not come back?"""
        return self._reading

    def begin(self) -> None:
        """One is sent now."""
        self._reading = True
        self._own = 1

    def end(self) -> None:
        """It has come back: the next look at the counters finds it, or it was never an I/O."""
        self._reading = False

    def look(self, now_ns: int, counters: Counters) -> None:
        """Take the counters as they were read just before `now_ns` (monotonic); empty where the disk did not answer."""
        if not counters:
            self._since_ns = None
            return
        completed = sum(counters[place] or 0 for place in COMPLETED)
        done = completed - self._completed
        waiting = (counters[IN_FLIGHT] or 0) > int(self._reading)
        if self._since_ns is None or waiting or not 0 <= done <= self._own:
            self._since_ns = now_ns
        self._completed = completed
        self._own = max(0, self._own - max(0, done)) if self._reading else 0

    def quiet_ns(self, now_ns: int) -> int:
        """For how long nothing was done; 0 where the disk does not answer."""
        return 0 if self._since_ns is None else now_ns - self._since_ns
