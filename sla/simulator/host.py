"""What did the hypervisor count of the same disk? What the guest counted, less what was waited between the two.

Between them lie the virtual device, stolen CPU time and the guest's own queue: never less than nothing (semantics §10).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sla.simulator.fine import Minute
from sla.simulator.noise import Ints

LEAST_MS = 0.01  # the hypervisor needs so long for an I/O, however fast it is


@dataclass(frozen=True, slots=True)
class Between:
    """What an I/O waits above the hypervisor: so many ms each, and so large a share of what the guest saw."""

    each_ms: float
    share: float = 0.0


def beneath(counts: Mapping[str, Ints], between: Between) -> dict[str, Ints]:
    """The hypervisor's counters of one disk over S steps, (S,) each, from the guest's (`sla.simulator.trace`)."""
    ios = {side: counts[f"{side}_ios"] for side in ("read", "write")}
    out = dict(counts)
    before = counts["read_ms"] + counts["write_ms"]
    for side, count in ios.items():
        spent = counts[f"{side}_ms"]
        left = (1.0 - between.share) * spent - between.each_ms * count
        out[f"{side}_ms"] = np.minimum(np.maximum(left, LEAST_MS * count), spent).astype(np.int64)
    after = out["read_ms"] + out["write_ms"]
    for name in ("queue_ms", "in_flight"):
        out[name] = counts[name] * after // np.maximum(before, 1)
    return out


def beneath_ios(minute: Minute, between: Between) -> Minute:
    """The same of single I/Os: each was shorter there."""
    left = np.maximum((1.0 - between.share) * minute.took_ms - between.each_ms, LEAST_MS)
    return Minute(minute.ended, np.minimum(left, minute.took_ms), minute.write, minute.size)
