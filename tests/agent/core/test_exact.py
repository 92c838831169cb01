"""Exact counts shared out to seconds, and what a second says by them."""

from hypothesis import given
from hypothesis import strategies as st

from plimsoll_agent.core.exact import Exact, Shared
from plimsoll_agent.core.meter import DiskMeter
from plimsoll_agent.core.r40 import EDGES_NS, EDGES_US, bucket_of
from plimsoll_agent.core.terms import Term

MS = 1_000_000
TERM = Term.from_policy({"term": 7, "threshold_ms": 15, "iops": 1000, "io_unit_bytes": 262144})
FAST, SLOW = bucket_of(500), bucket_of(40_000)


def counters(reads, read_ms, in_flight=0):
    return (reads, 0, reads * 8, read_ms, 0, 0, 0, 0, in_flight, 0, 0, 0, 0, 0, 0, 0, 0)


@given(st.lists(st.tuples(st.lists(st.integers(0, 100), max_size=60), st.integers(0, 6)), min_size=1, max_size=20))
def test_what_ended_between_the_two_readings_is_told_a_second_later_and_nothing_is_lost(seconds):
    shared, told, timed, early = Shared(), {}, {}, 0
    for buckets, ahead in seconds:
        new = {bucket: buckets.count(bucket) for bucket in buckets}
        for bucket, count in new.items():
            timed[bucket] = timed.get(bucket, 0) + count
        available = len(buckets) + early
        ios = available - min(ahead, available)
        early = available - ios
        hist, missing = shared.second(new, ios)
        assert missing == 0 and sum(hist.values()) == ios
        for bucket, count in hist.items():
            told[bucket] = told.get(bucket, 0) + count
    for bucket, count in shared.early.items():
        told[bucket] = told.get(bucket, 0) + count
    assert told == timed


def test_a_slow_io_is_told_in_the_second_that_saw_it_though_the_counters_see_it_in_the_next():
    shared = Shared()
    assert shared.second({FAST: 10, SLOW: 1}, 10) == ({FAST: 9, SLOW: 1}, 0)
    assert shared.second({FAST: 4}, 5) == ({FAST: 5}, 0)


def test_ios_that_the_kernel_counted_and_nobody_timed_widen_the_interval():
    hist, missing = Shared().second({FAST: 95, SLOW: 3}, 100)
    assert missing == 2
    assert Exact(hist, {}, missing, 0).reads(15_000) == (3, 5)


def test_ios_that_were_not_timed_are_bounded_by_their_sums():
    meter = DiskMeter([TERM])
    for at in range(101):
        meter.sample(at * 10 * MS, counters(3 * at, 2 * at))
    counts = meter.close_second(Exact({FAST: 292, SLOW: 2}, {}, 6, 0))[7]
    assert (counts.read_lo, counts.read_hi) == (2, 2)


def test_a_source_that_counts_other_ios_than_the_kernel_is_not_exact():
    assert Shared().second({FAST: 50}, 100) is None
    assert Shared().second({FAST: 5000}, 100) is None


def test_edges_in_ns_are_those_in_us_without_rounding():
    assert len(set(EDGES_NS)) == len(EDGES_NS) and sorted(EDGES_NS) == list(EDGES_NS)
    assert [-(-ns // 1000) for ns in EDGES_NS] == list(EDGES_US)


def test_a_threshold_inside_a_bucket_leaves_its_ios_open():
    exact = Exact({bucket_of(13_000): 4, SLOW: 1}, {}, 0, 0)
    assert exact.reads(13_000) == (1, 5)
    assert exact.reads(15_000) == (1, 1)


def test_a_second_whose_ios_were_timed_has_one_figure_where_its_sums_leave_an_interval():
    bounded, timed = (DiskMeter([TERM]) for _ in range(2))
    exact = Exact({FAST: 280, SLOW: 20}, {}, 0, 0)
    for meter in (bounded, timed):
        for at in range(101):
            meter.sample(at * 10 * MS, counters(3 * at, 20 * at, in_flight=1 if at else 0))
    (by_sums,) = bounded.close_second().values()
    (by_each,) = timed.close_second(exact).values()
    assert by_sums.read_lo < 20 <= by_sums.read_hi
    assert by_each.read_lo == by_each.read_est == by_each.read_hi == 20
    assert by_each.covered_est == by_sums.covered_est == 300


def test_slow_ios_that_may_have_been_excess_are_not_proved_slow_among_the_covered():
    meter = DiskMeter([TERM])
    meter.sample(0, counters(0, 0))
    meter.sample(100 * MS, counters(0, 0, in_flight=60))
    for at in range(2, 11):
        meter.sample(at * 100 * MS, counters(60, 60 * 40))
    counts = meter.close_second(Exact({SLOW: 60}, {}, 0, 0))[7]
    assert counts.excess_hi >= 47
    assert counts.read_lo <= 60 - 47 and counts.read_hi == 60
    assert counts.read_lo <= counts.read_est <= counts.read_hi
