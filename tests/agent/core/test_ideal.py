"""Do the covered bounds hold the exact ideal disk's figure, and is no honest disk ever proved a breaker?"""

from __future__ import annotations

from itertools import compress

from hypothesis import given, settings
from hypothesis import strategies as st

from bench import exact
from bench.fairness_judge import judge
from bench.simcounters import samples
from bench.simdisk import Disk, Load, Trace, flushes, run, steady
from plimsoll_agent.core.ideal import CoverBounds
from plimsoll_agent.core.meter import DiskMeter
from plimsoll_agent.core.terms import Term
from tests.agent.core.world import Io, counters_at, sample_times, term, traces

DEPTH_13 = Term(1, 15_000, 15_000, 1000, 13, 100_000, 262_144)
MS = 1_000_000


def test_at_rest_thirteen_may_come_at_once_and_the_rest_of_a_burst_of_sixty_is_excess() -> None:
    bounds = CoverBounds(DEPTH_13.rate_micro, 13, believed=True)
    bounds.restart(0, 1)
    bounds.step(60, 0, 0, 60, 10 * MS, 10 * MS, 0, 1, 0)
    # At least 13 fit; at most 13 + the 9 that the ideal disk works off meanwhile, one that arrives at exactly
    # 13, and one for an I/O that the kernel may have shown twice.
    assert bounds.excess_hi == 60 - 13
    assert bounds.excess_lo == 60 - 24
    assert bounds.held == 47


def test_where_in_flight_is_the_drivers_only_every_arrival_may_be_excess() -> None:
    bounds = CoverBounds(DEPTH_13.rate_micro, 13, believed=False)
    bounds.restart(0, 1)
    bounds.step(5, 5, 0, 0, 10 * MS, 10 * MS, 1, 1, 0)
    assert (bounds.excess_hi, bounds.lo) == (5, 0)


def test_where_ios_hide_before_the_driver_no_arrival_must_be_excess() -> None:
    """Sixty that the driver is handed at once may have come one by one."""
    bounds = CoverBounds(DEPTH_13.rate_micro, 13, believed=False)
    bounds.restart(0, 1)
    bounds.step(60, 0, 0, 60, 10 * MS, 10 * MS, 0, 1, 0)
    assert bounds.excess_lo == 0


def test_after_an_unlabelled_start_all_that_is_in_flight_may_be_excess() -> None:
    meter = DiskMeter([DEPTH_13])
    line = [0] * 17
    line[8] = 40
    meter.sample(0, tuple(line))
    assert meter.pool(1) == 40


@settings(max_examples=250, deadline=None)
@given(traces(), sample_times(), st.sampled_from([100, 300, 1000]), st.integers(3, 30))
def test_covered_and_slow_covered_lie_between_their_bounds_in_every_window(
    ios: list[Io], times: list[int], iops: int, every: int
) -> None:
    one = Term(1, 15_000, 15_000, iops, iops * 9 * 15 // 10_000, 100_000, 262_144)
    meter = DiskMeter([one])
    trace = Trace([io.start for io in ios], [io.end for io in ios], [4096] * len(ios))
    observer = exact.Observer(trace, one)
    start, pool = 0, 0
    for place, moment in enumerate(times):
        line = counters_at(ios, moment)
        meter.sample(moment * 1000, line)
        if place == 0:
            pool = meter.pool(1)
        if place % every or place == 0:
            continue
        counts = meter.close_second()[1]
        truth = observer.between(start, moment)
        assert max(0, truth.ios - pool - counts.excess_hi) <= truth.covered
        assert truth.covered <= truth.ios - max(0, counts.excess_lo - (line[8] or 0))
        assert counts.read_lo + counts.write_lo <= truth.covered_slow
        assert truth.covered_slow <= counts.read_hi + counts.write_hi
        start, pool = moment, meter.pool(1)


@settings(max_examples=150, deadline=None)
@given(
    traces(),
    sample_times(),
    st.sampled_from([300, 500, 1000]),
    st.integers(3, 30),
    st.lists(st.sampled_from([4096, 4096, 4096, 65_536, 1 << 20]), min_size=70, max_size=70),
    st.sampled_from([0, 30, 2_000]),
)
def test_the_bounds_hold_for_ios_of_any_size_whose_bytes_the_kernel_counts_a_little_earlier(
    ios: list[Io], times: list[int], iops: int, every: int, sizes: list[int], lead_us: int
) -> None:
    """The smallest and the largest of them come alone before all others: what nobody has seen, no counter can tell."""
    ios = [Io(1, 100, True), Io(5_201, 100, True)] + [Io(io.start + 20_000, io.latency, io.is_read) for io in ios]
    sizes = [4096, 1 << 20, *sizes[: len(ios) - 2]]
    times = [0, 5_000, *(moment + 20_000 for moment in times)]
    one = Term(1, 15_000, 15_000, iops, iops * 9 * 15 // 10_000, 100_000, 262_144)
    meter = DiskMeter([one])
    observer = exact.Observer(Trace([io.start for io in ios], [io.end for io in ios], sizes), one)
    start = pool = 0
    for place, moment in enumerate(times):
        line = list(counters_at(ios, moment))
        for sectors, is_read in ((2, True), (6, False)):
            moved = (io.is_read == is_read and io.end - lead_us <= moment for io in ios)
            line[sectors] = sum(compress(sizes, moved)) // 512
        meter.sample(moment * 1000, tuple(line))
        if place % every or place == 0:
            continue
        counts = meter.close_second()[1]
        truth = observer.between(start, moment)
        assert truth.ios - pool - counts.excess_hi <= truth.covered
        assert truth.covered <= truth.ios - max(0, counts.excess_lo - (line[8] or 0))
        assert counts.read_lo + counts.write_lo <= truth.covered_slow
        start, pool = moment, meter.pool(1)


def test_a_train_of_discards_is_no_excess_of_the_reads_beside_it() -> None:
    """Three hundred in one step, and five reads: no more than those five can have been kept waiting."""
    meter = DiskMeter([term()])
    line = [0] * 17
    meter.sample(0, tuple(line))
    for step in range(1, 101):
        line[0] += 5
        line[2] += 5 * 8
        line[11] += 300 if step == 50 else 0
        meter.sample(step * 10 * MS, tuple(line))
    assert meter.close_second()[1].excess_hi == 5


def test_what_turns_out_to_be_discards_was_no_excess() -> None:
    """Forty come at once: nothing says what they are before the first of them is done."""
    meter = DiskMeter([term()])
    for step, (discards, level) in enumerate(((0, 0), (0, 40), (30, 10), (40, 0))):
        line = [0] * 17
        line[8], line[11] = level, discards
        meter.sample(step * 10 * MS, tuple(line))
        if level == 40:
            assert meter.close_second()[1].excess_lo == 40 - 24
        elif step:
            assert meter.close_second()[1].excess_lo == 0
    for step, level in ((7000, 0), (7001, 60)):
        line = [0] * 17
        line[8], line[11] = level, 40
        meter.sample(step * 10 * MS, tuple(line))
    assert meter.close_second()[1].excess_lo == max(0, 60 - 24 - 40)


def after_a_large_one(*lines: tuple[int, int, int]) -> int:
    """Arrivals that may be excess after an I/O of 1 MiB and a small one were seen: (completed, sectors, in flight)."""
    meter = DiskMeter([term()])
    for step, (done, sectors, level) in enumerate(((0, 0, 0), (1, 2048, 0), (2, 2056, 0), *lines)):
        line = [0] * 17
        line[0], line[2], line[8] = done, sectors, level
        meter.sample(step * 10 * MS, tuple(line))
    return meter.close_second()[1].excess_hi


def test_whoever_is_in_flight_may_be_the_large_ones_and_have_come_first() -> None:
    """Eight of 4 KiB completed, four wait: if those are of 1 MiB, 16 units lay before the eight."""
    assert after_a_large_one((10, 2056 + 8 * 8, 4)) >= 8


def test_bytes_that_were_counted_just_before_a_sample_belong_to_the_ios_just_after_it() -> None:
    """Four of 1 MiB had moved their bytes when a sample was taken; they and eight small ones end in the next step."""
    large = 2056 + 4 * 2048
    assert after_a_large_one((2, large, 0), (14, large + 8 * 8, 0)) >= 8
    assert after_a_large_one((2, 2056, 0), (14, 2056 + 12 * 8, 0)) == 0


def test_a_large_io_now_and_then_leaves_the_small_ones_their_proof() -> None:
    """One of 1 MiB each second, nothing in flight at the samples: the bytes say that all others are small."""
    meter = DiskMeter([term()])
    line = [0] * 17
    meter.sample(0, tuple(line))
    for step in range(1, 1001):
        line[0] += 5
        line[2] += 4 * 8 + (2048 if step % 100 == 50 else 8)
        line[3] += 5
        meter.sample(step * 10 * MS, tuple(line))
    counts = meter.close_second()[1]
    assert counts.excess_hi == 0


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from([1000, 1300, 3000]),
    st.sampled_from([300, 1000, 3000]),
    st.integers(0, 70),
    st.integers(0, 300),
    st.sampled_from([40_000, 200_000, 1_000_000]),
    st.sampled_from([10, 20, 100, 1000]),
    st.sampled_from(["fifo", "lifo", "random"]),
    st.integers(0, 10**6),
)
def test_an_honest_disk_is_never_proved_a_breaker_under_any_load(
    cap: int, service_us: int, threads: int, burst: int, period: int, cadence: int, order: str, seed: int
) -> None:
    disk = Disk(steady(service_us), cap=cap, order=order)
    load = Load(flushes(burst, period, 4, seed % 50_000) if burst else (), threads)
    trace = run(disk, load, 4, seed)
    if not trace.arrived:
        return
    verdict = judge(samples(trace, cadence, 4, seed), DEPTH_13, "accounted")
    truth = exact.Observer(trace, DEPTH_13).between(0, 10**9)
    if truth.covered_slow == 0:
        assert verdict.sums.slow_low == 0
        assert verdict.sums.lost_ms <= 40  # 1 % of the four seconds
        assert verdict.proved != "breached"


def test_what_slow_completions_used_of_the_pool_is_back_in_the_next_second() -> None:
    """Else a second in which excess I/Os end late could prove a breach with them."""
    bounds = CoverBounds(DEPTH_13.rate_micro, 13, believed=True)
    bounds.restart(20, 1)
    bounds.step(20, 20, 20, 20, 10 * MS, 10 * MS, 20, 1, 0)
    assert bounds.lo == 0
    bounds.close()
    assert bounds.held == 20
    bounds.step(0, 20, 20, 0, 10 * MS, 10 * MS, 20, 1, 0)
    assert bounds.lo == 0


def test_large_ios_count_as_several_units_of_the_ideal_disk() -> None:
    small, large = DiskMeter([term()]), DiskMeter([term()])
    for meter, sectors in ((small, 8), (large, 2048)):  # 4 KiB and 1 MiB: one unit and four
        line = [0] * 17
        for step in range(200):
            line[0] += 4
            line[2] += 4 * sectors
            line[3] += 4
            line[8] = 6
            meter.sample(step * 10 * MS, tuple(line))
    few, many = small.close_second()[1], large.close_second()[1]
    assert few.excess_hi < 30
    assert many.excess_hi > 400
