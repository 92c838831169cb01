"""Could the bounds be narrower? Two disks whose counters are the same to the last digit, one at either end of them."""

from plimsoll_agent.core.meter import DiskMeter
from tests.agent.core.world import Io, counters_at, term

STEP_US = 10_000
STEPS = 200
AFTER = 10  # sub-intervals in which the last ones of the trace still end


def every_step(*kinds: tuple[int, int, int]) -> list[Io]:
    """In each sub-interval so many I/Os end at an offset (µs) into it, each of a latency (µs)."""
    return [
        Io(step * STEP_US + offset - latency, latency, True)
        for step in range(STEPS + AFTER)
        for many, offset, latency in kinds
        for _ in range(many)
    ]


# Twenty threads at a cap of 1000/s: all wait for 20 ms …
ALL_SLOW = every_step((10, 5_000, 20_000))
# … or nine of ten are just in time and one waits for six sub-intervals.
ONE_IN_TEN = every_step((5, 2_000, 14_900), (4, 7_000, 14_900), (1, 8_000, 65_900))


def bounds(ios: list[Io]) -> tuple[int, int, int]:
    meter = DiskMeter([term(iops=10**6, depth=10**6)])
    for step in range(STEPS + 1):
        meter.sample(step * STEP_US * 1000, counters_at(ios, step * STEP_US))
    meter.close_second()
    raw = meter.raw(1)
    return raw.ios, raw.lo, raw.hi


def test_both_ends_of_the_bounds_have_a_disk_behind_the_same_counters() -> None:
    for step in range(STEPS + 1):
        assert counters_at(ALL_SLOW, step * STEP_US) == counters_at(ONE_IN_TEN, step * STEP_US)
    slow = [sum(io.latency >= 15_000 for io in ios if 0 < io.end <= STEPS * STEP_US) for ios in (ONE_IN_TEN, ALL_SLOW)]
    assert slow == [STEPS, 10 * STEPS]
    assert bounds(ALL_SLOW) == bounds(ONE_IN_TEN) == (10 * STEPS, *slow)
