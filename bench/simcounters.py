"""What would /proc/diskstats have shown of a trace, to a sampler that is late at times, in the kernel's order?"""

from __future__ import annotations

import random
from bisect import bisect_right
from itertools import accumulate

from bench.lab import Sample
from bench.simdisk import US_PER_S, Trace

READ_US = 15  # how long one read of the file takes
LATE_SHARE = 0.001  # what the agent promises to stay below
PRINTED_LATER_US = 1  # in_flight is printed so long before the counters


class Counters:
    """The counters of a trace at any moment. All I/Os are reads."""

    def __init__(self, trace: Trace, hidden_us: int = 0) -> None:
        """`hidden_us`: so long after its arrival an I/O is not yet with the driver (kernels before 6.16)."""
        self._arrived = sorted(moment + hidden_us for moment in trace.arrived)
        order = sorted(range(len(trace.ended)), key=trace.ended.__getitem__)
        self._ended = [trace.ended[number] for number in order]
        self._sum_us = [0, *accumulate(trace.ended[n] - trace.arrived[n] for n in order)]
        self._sectors = [0, *accumulate(trace.size[n] // 512 for n in order)]

    def at(self, moment: int) -> tuple[int, ...]:
        """The seventeen fields at a moment (µs)."""
        done = bisect_right(self._ended, moment)
        before = moment - PRINTED_LATER_US
        in_flight = max(0, bisect_right(self._arrived, before) - bisect_right(self._ended, before))
        ms = self._sum_us[done] // 1000
        return (done, 0, self._sectors[done], ms, 0, 0, 0, 0, in_flight, 0, ms, 0, 0, 0, 0, 0, 0)


def samples(trace: Trace, cadence_ms: int, seconds: int, seed: int, hidden_us: int = 0) -> list[Sample]:
    """What a sampler of that cadence reads: at some phase, now and then late."""
    rng = random.Random(seed)
    counters = Counters(trace, hidden_us)
    step = cadence_ms * 1000
    tick = rng.randrange(step)
    out = []
    while tick <= seconds * US_PER_S:
        late = rng.randrange(200)
        if rng.random() < LATE_SHARE:
            late = rng.randrange(5_000, 100_000)
        before = tick + late
        out.append(Sample(before * 1000, (before + READ_US) * 1000, counters.at(before + READ_US // 2)))
        tick += step
        while tick <= before:
            tick += step
    return out
