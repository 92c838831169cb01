"""The plain rules that widths are measured against, on figures worked out by hand."""

from math import inf

from bench.accuracy_reference import least, width
from bench.lab import Run, Sample

MS = 1_000_000


def line(reads: int, sum_ms: int, level: int) -> tuple[int, ...]:
    return (reads, 0, 8 * reads, sum_ms, 0, 0, 0, 0, level, 0, sum_ms, 0, 0, 0, 0, 0, 0)


def test_a_sum_and_an_age_say_how_many_were_slow_at_least() -> None:
    assert least(10, 150, 15, inf) == 0
    assert least(10, 151, 15, inf) == 1
    # 61 ms in two, none older than 40 ms: one alone would leave over 15 ms to the other.
    assert least(2, 61, 15, 40) == 2
    assert least(2, 61, 15, 12) == 2


def test_an_io_that_is_overdue_is_slow_and_in_flight_caps_what_the_sum_allows() -> None:
    # Of 21 reads that end together one was in flight 10 and 20 ms before: 60 ms could else be four slow ones.
    lines = [line(0, 0, 0), line(0, 0, 1), line(0, 0, 1), line(0, 0, 1), line(21, 60, 0)]
    samples = [Sample(place * 10 * MS, place * 10 * MS, counters) for place, counters in enumerate(lines)]
    assert width(Run("x_s01", "accounted", samples, [], []), 10, 15) == 0
    assert width(Run("x_s01", "driver", samples, [], []), 10, 15) == 4 / 21
