"""A reset in the middle of a second: that second is nobody's, and the next one is judged as ever."""

import pytest

from plimsoll_agent.core.meter import DiskMeter
from plimsoll_agent.core.terms import Term

TERM = Term(7, 15_000, 15_000, 1000, 13, 100_000, 262_144)
MS = 1_000_000


@pytest.mark.parametrize("told", [True, False])
def test_the_seconds_after_a_reset_are_those_of_a_fresh_meter(told):
    meter, fresh = (DiskMeter((TERM,), rule="accounted") for _ in range(2))
    counters = [1000, 0, 8000, 100, 5000, 0, 40000, 500, 0, 90, 95, 0, 0, 0, 0, 1, 1]
    for step in range(437):  # four seconds and some
        counters[4] += 2
        counters[7] += 40 * (step % 9 == 0)
        meter.sample(step * 10 * MS, tuple(counters))
        if step % 100 == 99:
            meter.close_second()
            meter.take_histograms()
    counters[:8] = [0] * 8
    if told:
        meter.reset()
    meter.sample(4370 * MS, tuple(counters))
    meter.close_second()
    meter.take_histograms()
    fresh.sample(4370 * MS, tuple(counters))
    for step in range(438, 538):
        counters[4] += 1
        counters[7] += 20
        for each in (meter, fresh):
            each.sample(step * 10 * MS, tuple(counters))
    assert meter.close_second() == fresh.close_second()
    assert meter.take_histograms() == fresh.take_histograms()
