"""Where do the counters of the demonstration's disks stand? They go on from span to span, as real ones do."""

from dataclasses import dataclass

import numpy as np

from sla.domain.evidence import Ints
from sla.simulator.slots import Minutes

SECTOR = 512
COUNTED = ("read_ios", "read_sectors", "read_ms", "write_ios", "write_sectors", "write_ms", "queue_ms")


@dataclass(slots=True)
class Odometer:
    """Each disk's cumulative counters, (2 D,) each, what is in flight, and where I/Os and ms stood when anyone last
    looked: the guests', then the hosts'. `mine` below: the rows of some disks."""

    totals: dict[str, Ints]
    in_flight: Ints
    seen_ios: Ints
    seen_ms: Ints

    @classmethod
    def of(cls, disks: int) -> "Odometer":
        """All at zero."""
        zero = np.zeros(2 * disks, np.int64)
        return cls({name: zero.copy() for name in COUNTED}, zero.copy(), zero.copy(), zero.copy())

    def stands(self, mine: Ints) -> tuple[Ints, Ints, Ints]:
        """I/Os, ms and in flight now."""
        ios, ms = (self.totals[f"read_{unit}"][mine] + self.totals[f"write_{unit}"][mine] for unit in ("ios", "ms"))
        return ios, ms, self.in_flight[mine]

    def seen(self, mine: Ints) -> tuple[Ints, Ints]:
        """I/Os and ms when they were last observed."""
        return self.seen_ios[mine], self.seen_ms[mine]

    def move_on(self, mine: Ints, made: Minutes) -> dict[str, Ints]:
        """To where these minutes end; the counters where each of them begins, (D, M) each."""
        base = {"in_flight": made.first_level}
        for name in COUNTED:
            side, unit = name.split("_")
            each = made.sums[f"{side}_bytes"] // SECTOR if unit == "sectors" else made.sums[name]
            total = self.totals[name]
            ends = total[mine][:, None] + np.cumsum(each, axis=1)
            base[name] = ends - each
            total[mine] = ends[:, -1]
        self.in_flight[mine] = made.last_level[:, -1]
        for seen, first, unit in ((self.seen_ios, made.first_ios, "ios"), (self.seen_ms, made.first_ms, "ms")):
            ends = first + made.sums[f"read_{unit}"] + made.sums[f"write_{unit}"]
            seen[mine] = np.maximum(seen[mine], np.where(made.observed, ends, 0).max(axis=1))
        return base
