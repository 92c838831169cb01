"""What was measured of the disks of one pool: slots of one length, all disks side by side."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

# An average over fewer I/Os says little about the storage; such a slot is unknown.
MIN_IOS = 5
# Time is counted in whole ms: what was too fast to count is half of one, in a whole slot.
HALF_MS = 0.5


@dataclass(frozen=True, slots=True)
class PoolSlots:
    """D disks over S slots, in order of time. Sums over the slot; NaN is unknown.

    starts: (S,) Unix seconds, rising, gaps allowed. ios, size_bytes, time_ms: (D, S).
    """

    step_s: int
    starts: Ints
    ios: Floats
    size_bytes: Floats
    time_ms: Floats

    @property
    def disks(self) -> int:
        return int(self.ios.shape[0])

    def between(self, first: int, last: int) -> "PoolSlots":
        """Slots [first, last) by place."""
        part = slice(max(first, 0), max(last, 0))
        return PoolSlots(
            self.step_s, self.starts[part], self.ios[:, part], self.size_bytes[:, part], self.time_ms[:, part]
        )

    def of(self, chosen: Bools) -> "PoolSlots":
        """The slots that are chosen, (S,)."""
        return PoolSlots(
            self.step_s, self.starts[chosen], self.ios[:, chosen], self.size_bytes[:, chosen], self.time_ms[:, chosen]
        )

    def log_latency(self) -> Floats:
        """Natural logarithm of the mean ms per I/O, (D, S); NaN where fewer than MIN_IOS completed."""
        enough = self.ios >= MIN_IOS
        mean = (self.time_ms + HALF_MS) / np.where(enough, self.ios, np.nan)
        return np.log(mean)

    def log_loads(self) -> tuple[Floats, Floats]:
        """Logarithms of bytes/s and I/Os/s, (D, S) each; NaN where unknown."""
        return np.log1p(self.size_bytes / self.step_s), np.log(np.maximum(self.ios, HALF_MS) / self.step_s)
