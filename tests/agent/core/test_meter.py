"""What does the meter make of a disk's counters, second by second?"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from plimsoll_agent.core.counters import WRAP, Counters
from plimsoll_agent.core.meter import DiskMeter
from plimsoll_agent.core.r40 import EDGES_US, bucket_of
from plimsoll_agent.core.terms import Term
from tests.agent.core.world import Io, counters_at, term

MS = 1_000_000


def fed(meter: DiskMeter, ios: list[Io], until_ms: int, edit: Callable[[list[int | None]], None] | None = None) -> None:
    for moment in range(0, until_ms + 1, 10):
        line = list(counters_at(ios, moment * 1000))
        if edit:
            edit(line)
        meter.sample(moment * MS, tuple(line))


def test_a_wrap_of_the_time_field_changes_no_figure() -> None:
    """Trap 1: 49.7 days of summed I/O time wrap the 32-bit millisecond field."""
    ios = [Io(1_000 + i * 7_000, 900 if i % 9 else 40_000, True) for i in range(120)]
    plain, wrapped = DiskMeter([term()]), DiskMeter([term()])

    def near_the_wrap(line: list[int | None]) -> None:
        line[3] = ((line[3] or 0) + WRAP - 500) % WRAP

    fed(plain, ios, 1000)
    fed(wrapped, ios, 1000, near_the_wrap)
    assert plain.close_second() == wrapped.close_second()
    assert plain.raw(1) == wrapped.raw(1)


def test_a_reset_of_the_counters_gives_no_interval_and_the_meter_starts_afresh() -> None:
    """Trap 2: reboot, re-attached disk, live migration."""
    meter = DiskMeter([term()])
    before = [5000, 0, 9000, 7000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    after = [3, 0, 24, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    meter.sample(0, tuple(before))
    meter.sample(10 * MS, tuple(after))
    assert meter.resets == 1
    meter.close_second()
    assert meter.raw(1) == (0, 0, 0, 0)
    after[0], after[3] = 4, 42
    meter.sample(20 * MS, tuple(after))
    meter.close_second()
    assert meter.raw(1).ios == 1


def test_an_idle_second_counts_nothing_and_has_no_histogram() -> None:
    """Trap 3: idle is not 0 ms."""
    meter = DiskMeter([term()])
    fed(meter, [], 1000)
    assert set(meter.close_second()[1]) == {0}
    assert meter.take_histograms() == ({}, {})
    assert not meter.urgent


def test_latencies_of_four_tenths_of_a_millisecond_are_not_zero() -> None:
    """Trap 4: the kernel prints whole ms per line; 400 µs must survive."""
    meter = DiskMeter([term()])
    fed(meter, [Io(i * 2_000, 400, True) for i in range(400)], 1000)
    reads, writes = meter.take_histograms()
    assert writes == {}
    assert sum(reads.values()) == 400
    assert all(350 <= EDGES_US[bucket] <= 450 for bucket in reads)


def test_a_histogram_holds_each_io_once_and_a_look_takes_nothing_away() -> None:
    meter = DiskMeter([term()])
    fed(meter, [Io(i * 9_000, 20_500, i % 2 == 0) for i in range(100)], 1000)
    seen = meter.second_hist()
    assert seen == meter.take_histograms()
    assert sum(seen[0].values()) == 50
    assert sum(seen[1].values()) == 50
    assert min(seen[0]) >= bucket_of(19_000)


def test_a_field_the_kernel_lacks_stays_unknown_and_breaks_nothing() -> None:
    """Traps 8 and 21: 14 fields before 4.18, no in_flight on partitions of 2.6."""

    def old_kernel(line: list[int | None]) -> None:
        line[8:] = [None] * 9

    meter = DiskMeter([term()], rule="driver")
    fed(meter, [Io(i * 9_000, 900, True) for i in range(100)], 1000, old_kernel)
    meter.close_second()
    assert meter.raw(1) == (100, 0, 0, 0)


def test_an_in_flight_below_zero_that_is_printed_as_four_billion_is_unknown() -> None:
    meter = DiskMeter([term()])

    def broken(line: list[int | None]) -> None:
        line[8] = WRAP - 1

    fed(meter, [Io(5_000, 900, True)], 300, broken)
    assert meter.close_second()[1].lost_ms == 0


def test_io_ticks_and_the_weighted_field_move_no_figure() -> None:
    """Traps 8 and 12: field 10 is not the sum of anything, %util no saturation; neither is proof."""
    ios = [Io(i * 9_000, 900 if i % 7 else 30_000, True) for i in range(100)]
    plain, wild = DiskMeter([term()]), DiskMeter([term()])
    tick = iter(range(0, 10**9, 977))

    def noise(line: list[int | None]) -> None:
        line[9], line[10] = next(tick), next(tick)

    fed(plain, ios, 1000)
    fed(wild, ios, 1000, noise)
    assert plain.close_second() == wild.close_second()


def test_several_waiting_fsyncs_that_share_one_flush_are_as_many_writes() -> None:
    """Trap 26: an fsync without data is a write with 0 sectors; the flush fields count commands, not waiters."""
    meter = DiskMeter([term()])
    line: list[int] = [0] * 17
    meter.sample(0, tuple(line))
    line[4], line[7], line[15], line[16] = 3, 60, 1, 20  # three fsyncs of 20 ms, one flush command
    meter.sample(30 * MS, tuple(line))
    meter.close_second()
    raw = meter.raw(1)
    assert raw.ios == 3
    assert raw.lo <= 3 <= raw.hi


def test_late_samples_are_judged_by_their_stamps_not_by_the_nominal_cadence() -> None:
    """Trap 6: an I/O that was in flight 100 ms before a late sample does not cap what ended in between."""
    ios = [Io(12_000, 900, True)] + [Io(30_000 + i, 40_000, True) for i in range(5)]
    meter = DiskMeter([term()])
    for moment in (0, 10_000, 20_000, 120_000, 130_000):
        meter.sample(moment * 1000, counters_at(ios, moment))
    meter.close_second()
    raw = meter.raw(1)
    assert raw.lo <= 5 <= raw.hi


def test_reads_and_writes_are_judged_by_their_own_thresholds() -> None:
    meter = DiskMeter([term(5, write_ms=50)])
    ios = [Io(10_000 + i * 20_000, 12_000, i % 2 == 0) for i in range(40)]
    fed(meter, ios, 1000)
    counts = meter.close_second()[1]
    assert (counts.read_lo, counts.read_est, counts.read_hi) == (20, 20, 20)
    assert (counts.write_lo, counts.write_est, counts.write_hi) == (0, 0, 0)


def test_terms_are_judged_apart_and_answered_by_their_numbers() -> None:
    meter = DiskMeter([Term(7, 5_000, 5_000, 1000, 4, 0, 262_144), Term(9, 50_000, 50_000, 1000, 45, 0, 262_144)])
    fed(meter, [Io(10_000 + i * 20_000, 12_000, True) for i in range(40)], 1000)
    counts = meter.close_second()
    assert counts[7].read_est == 40
    assert counts[9].read_est == 0
    with pytest.raises(KeyError):
        meter.pool(8)


def test_a_second_that_is_half_slow_or_lost_is_urgent() -> None:
    meter = DiskMeter([term()])
    fed(meter, [Io(10_000 + i * 20_000, 30_000 if i % 3 else 900, True) for i in range(40)], 1000)
    meter.close_second()
    assert meter.urgent


def test_an_unknown_rule_is_refused_with_its_name() -> None:
    with pytest.raises(ValueError, match="guess"):
        DiskMeter([term()], rule="guess")


def test_a_repeated_line_costs_next_to_nothing() -> None:
    """The fine loop of an idle disk: nothing is computed, only the stamps move."""
    meter = DiskMeter([term()])
    line: Counters = (5,) * 8 + (0,) + (1,) * 8
    meter.sample(0, line)
    meter.sample(MS, line)
    rows = len(meter._terms[0].bounds._rows)
    for step in range(1000):
        meter.sample((2 + step) * MS, line)
    assert len(meter._terms[0].bounds._rows) == rows


def test_the_sampler_loads_no_heavy_module() -> None:
    """Each costs the resident memory of every customer's machine: 13 MB are all the sampler may have."""
    code = (
        "import sys; import plimsoll_agent.core.meter, plimsoll_agent.core.terms;"
        "heavy = {'typing', 'dataclasses', 'inspect', 'json', 're', 'zlib', 'numpy', 'struct'} & set(sys.modules);"
        "print(sorted(heavy))"
    )
    root = __import__("plimsoll_agent").__path__[0].rsplit("/", 1)[0]
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {root!r}); {code}"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "[]"
