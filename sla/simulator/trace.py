"""What came of a run? Counters of every disk and step as arrays, and beside them what really happened."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sla.simulator.noise import Floats, Ints
from sla.simulator.world import Cause, Kind

Bools = npt.NDArray[np.bool_]
Floats32 = npt.NDArray[np.float32]

COUNTERS = (
    *("read_ios", "write_ios", "read_bytes", "write_bytes", "read_ms", "write_ms"),
    *("queue_ms", "in_flight"),
)


@dataclass(frozen=True, slots=True)
class Truth:
    """One event as it really was.

    cause: what a detector should say. culprit: the disk that did it, None where nobody did or several did together
    (`culprits` has all of them). factor: how many times longer the median of the pool's other busy disks took because
    of it (DISK, SELF: the disk itself), noise aside, as median over the event's steps in this run: 1.0 is no effect
    at all, and an event under about 1.2 nobody can see. victims: disks that took at least 1.2 times longer at the
    median of those steps. start, end: Unix seconds, half-open; they may reach beyond the run.
    """

    kind: Kind
    cause: Cause
    pool: int
    start: int
    end: int
    culprit: int | None
    culprits: tuple[int, ...]
    victims: tuple[int, ...]
    factor: float


@dataclass(frozen=True, slots=True)
class Trace:
    """D disks × S steps from `start` on, each `step_s` long. Counters are sums over a step, int64, shape (D, S).

    read_ios, write_ios: completed. read_bytes, write_bytes: multiples of 512. read_ms, write_ms: summed time of the
    completed ones. queue_ms: integral of what is in flight. in_flight: at the end of the step.
    observed: False where the disk's agent saw nothing (the counters there are what it would have seen: mask them).
    pool (D, S): where the disk lay (int16; it changes when a disk migrates).
    slowdown (D, S), float32: expected time of an I/O over what it would have been had no event happened; 1.0 where
    none did. Noise is not in it.
    load (P, S), float32: utilisation of each back end, 0 … 1.
    skew_s (D,): by how much each disk's agent's clock is off.
    windows: every event that touches the run.
    """

    start: int
    step_s: int
    read_ios: Ints
    write_ios: Ints
    read_bytes: Ints
    write_bytes: Ints
    read_ms: Ints
    write_ms: Ints
    queue_ms: Ints
    in_flight: Ints
    observed: Bools
    pool: npt.NDArray[np.int16]
    slowdown: Floats32
    load: Floats32
    skew_s: Floats
    windows: tuple[Truth, ...]

    @property
    def disks(self) -> int:
        """D."""
        return len(self.read_ios)

    @property
    def steps(self) -> int:
        """S."""
        return int(self.read_ios.shape[1])

    @property
    def times(self) -> Ints:
        """Where each step begins, (S,)."""
        return self.start + self.step_s * np.arange(self.steps, dtype=np.int64)

    @property
    def ios(self) -> Ints:
        """Completed reads + writes."""
        return self.read_ios + self.write_ios

    @property
    def bytes(self) -> Ints:
        """Read and written."""
        return self.read_bytes + self.write_bytes

    @property
    def time_ms(self) -> Ints:
        """Summed time of reads and writes; over `ios` it is await."""
        return self.read_ms + self.write_ms
