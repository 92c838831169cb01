"""Does the truth always lie between the bounds?"""

from hypothesis import given, settings
from hypothesis import strategies as st

from plimsoll_agent.core.bounds import NEVER, least_slow, most_slow
from plimsoll_agent.core.meter import DiskMeter
from tests.agent.core.world import Io, counters_at, sample_times, term, traces


def test_the_sum_alone_bounds_the_slow_ones_from_above() -> None:
    # 10 I/Os, 44 ms printed: fewer than 45 ms in truth, so two of 15 ms fit and three do not.
    assert most_slow(10, 44, 1, 15_000) == 2
    assert most_slow(10, 45, 1, 15_000) == 3
    assert most_slow(1, 900, 1, 15_000) == 1


def test_the_sum_and_the_oldest_age_bound_them_from_below() -> None:
    # Two I/Os, 61 ms printed, none older than 40 ms: one alone would leave over 15 ms to the other.
    now = 1_000_000_000
    calm = [now - 40_000_000] * 32
    assert least_slow(2, 61, 1, 15_000, calm, now) == 2
    assert least_slow(2, 31, 1, 15_000, calm, now) == 1
    assert least_slow(2, 30, 1, 15_000, calm, now) == 0


def test_one_old_io_does_not_hide_its_young_neighbours() -> None:
    # One may be of any age; the other three came within 20 ms: 80 ms cannot all be the old one's … but can, alone.
    now = 1_000_000_000
    calm = [NEVER] + [now - 20_000_000] * 31
    assert least_slow(4, 80, 1, 15_000, calm, now) == 1
    # Within 4 ms, three young ones hold at most 12 ms: what is over 27 ms in all is the old one's.
    calm = [now - 30_000_000] + [now - 4_000_000] * 31
    assert least_slow(4, 29, 1, 15_000, calm, now) == 1
    assert least_slow(4, 25, 1, 15_000, calm, now) == 0


@settings(max_examples=400, deadline=None)
@given(traces(), sample_times(), st.sampled_from([5, 10, 15, 50]), st.sampled_from([None, 30]), st.integers(2, 25))
def test_the_truth_lies_between_low_and_high_in_every_window_and_direction(
    ios: list[Io], times: list[int], threshold_ms: int, write_ms: int | None, every: int
) -> None:
    """Whatever the latencies and sample times; each read takes 20 µs, its place in there is unknown."""
    one = term(threshold_ms, iops=10**6, depth=10**6, write_ms=write_ms)
    limit = {True: one.read_threshold_us, False: one.write_threshold_us}
    meter = DiskMeter([one])
    start = 0
    for place, moment in enumerate(times):
        meter.sample(moment * 1000, counters_at(ios, moment + 10), (moment + 20) * 1000)
        if place % every:
            continue
        counts = meter.close_second()[1]
        slow = {
            way: sum(io.latency >= limit[way] for io in ios if io.is_read == way and start < io.end <= moment + 10)
            for way in (True, False)
        }
        assert counts.read_lo <= slow[True] <= counts.read_hi
        assert counts.write_lo <= slow[False] <= counts.write_hi
        raw = meter.raw(1)
        assert raw.lo <= slow[True] + slow[False] <= raw.hi
        assert raw.lo <= raw.est <= raw.hi <= raw.ios
        assert counts.read_lo <= counts.read_est <= counts.read_hi
        assert counts.write_lo <= counts.write_est <= counts.write_hi
        start = moment + 10


@settings(max_examples=300, deadline=None)
@given(traces(reads_only=True), sample_times(), st.sampled_from([5, 15, 50]), st.integers(1, 60))
def test_an_io_that_ends_between_the_kernels_two_figures_breaks_no_bound(
    ios: list[Io], times: list[int], threshold_ms: int, gap_us: int
) -> None:
    """in_flight is printed up to 60 µs before the counters, at every second sample."""
    meter = DiskMeter([term(threshold_ms, iops=10**6, depth=10**6)])
    for place, moment in enumerate(times):
        printed = moment + 100
        level_at = printed - gap_us if place % 2 else printed
        meter.sample(moment * 1000, counters_at(ios, printed, level_at), (moment + 110) * 1000)
    meter.close_second()
    raw = meter.raw(1)
    slow = sum(io.latency >= threshold_ms * 1000 for io in ios if io.end <= times[-1] + 100)
    assert raw.lo <= slow <= raw.hi


@settings(max_examples=300, deadline=None)
@given(traces(), traces(), sample_times(), st.sampled_from([5, 15, 50]), st.integers(2, 25))
def test_discards_in_flight_pass_for_no_slow_read_or_write(
    ios: list[Io], discards: list[Io], times: list[int], threshold_ms: int, every: int
) -> None:
    meter = DiskMeter([term(threshold_ms, iops=10**6, depth=10**6)])
    start = 0
    for place, moment in enumerate(times):
        meter.sample(moment * 1000, counters_at(ios, moment + 10, discards=discards), (moment + 20) * 1000)
        if place % every:
            continue
        meter.close_second()
        raw = meter.raw(1)
        ended = [io for io in ios if start < io.end <= moment + 10]
        assert raw.ios == len(ended)
        assert raw.lo <= sum(io.latency >= threshold_ms * 1000 for io in ended) <= raw.hi
        start = moment + 10


@settings(max_examples=200, deadline=None)
@given(traces(), sample_times(), st.integers(0, 3_000))
def test_where_in_flight_is_the_drivers_only_the_bounds_hold_although_ios_hide_before_the_driver(
    ios: list[Io], times: list[int], hidden_us: int
) -> None:
    meter = DiskMeter([term(15, iops=10**6, depth=10**6)], rule="driver")
    seen = [Io(io.start + hidden_us, max(0, io.latency - hidden_us), io.is_read) for io in ios]
    for moment in times:
        line = list(counters_at(ios, moment))
        line[8] = counters_at(seen, moment)[8]
        meter.sample(moment * 1000, tuple(line))
    meter.close_second()
    slow = sum(io.latency >= 15_000 for io in ios if io.end <= times[-1])
    raw = meter.raw(1)
    assert raw.lo <= slow <= raw.hi


@settings(max_examples=200, deadline=None)
@given(traces(), sample_times())
def test_a_bio_based_device_that_adds_whole_jiffies_breaks_no_bound(ios: list[Io], times: list[int]) -> None:
    """The kernel adds the difference of two jiffy counts: up to one jiffy of 4 ms off for each I/O, either way."""
    meter = DiskMeter([term(15, iops=10**6, depth=10**6)], bio_based=True, jiffy_ms=4)
    for moment in times:
        line = list(counters_at(ios, moment))
        for first, is_read in ((0, True), (4, False)):
            done = [io for io in ios if io.is_read == is_read and io.end <= moment]
            line[first + 3] = sum((io.end // 4000 - io.start // 4000) * 4 for io in done)
        meter.sample(moment * 1000, tuple(line))
    meter.close_second()
    slow = sum(io.latency >= 15_000 for io in ios if io.end <= times[-1])
    raw = meter.raw(1)
    assert raw.lo <= slow <= raw.hi


def test_overdue_ios_are_counted_once_although_many_samples_see_them() -> None:
    # Three reads hang from 5 ms to 205 ms; samples each 10 ms see them overdue some fifteen times.
    ios = [Io(5_000, 200_000, True) for _ in range(3)]
    meter = DiskMeter([term()])
    for moment in range(0, 300_000, 10_000):
        meter.sample(moment * 1000, counters_at(ios, moment))
    meter.close_second()
    assert meter.raw(1)[1:] == (3, 3, 3)


def test_in_flight_caps_what_one_long_sum_could_be() -> None:
    # 20 fast reads and one of 40 ms end together: the sum alone would allow four slow ones, in_flight one.
    ios = [Io(2_000, 40_000, True)] + [Io(40_100 + i * 10, 1_000 + i, True) for i in range(20)]
    meter = DiskMeter([term()])
    for moment in range(0, 100_000, 10_000):
        meter.sample(moment * 1000, counters_at(ios, moment))
    meter.close_second()
    raw = meter.raw(1)
    assert most_slow(21, 60, 1, 15_000) == 4
    assert (raw.lo, raw.hi) == (1, 1)


def test_what_one_io_waited_in_a_drought_makes_no_others_slow() -> None:
    # One read hangs for 2 s; 500 of 1 ms end with it. Their sum alone would allow 166 slow ones of 15 ms.
    ios = [Io(5_000, 2_000_000, True)] + [Io(2_004_000 + i, 1_000, True) for i in range(500)]
    meter = DiskMeter([term()])
    for moment in range(0, 2_100_000, 20_000):
        meter.sample(moment * 1000, counters_at(ios, moment))
    meter.close_second()
    raw = meter.raw(1)
    # Seen to wait from 20 ms to 2,000 ms: what is left of 2,500 ms + 1 ms allows 34 others.
    assert (raw.lo, raw.hi) == (1, 35)
