"""In which bucket does a latency fall?"""

from hypothesis import given
from hypothesis import strategies as st

from plimsoll_agent.core.r40 import EDGES_US, bucket_of, merge, percentile_us, slow_between


def test_there_are_280_buckets_from_10_us_to_100_s() -> None:
    assert len(EDGES_US) == 281
    assert (EDGES_US[0], EDGES_US[-1]) == (10, 100_000_000)


def test_every_threshold_that_people_write_is_an_edge() -> None:
    assert all(ms * 1000 in EDGES_US for ms in (1, 2, 5, 10, 15, 20, 25, 50, 100))


def test_the_ends_are_open() -> None:
    assert bucket_of(9) == -1
    assert bucket_of(10) == 0
    assert bucket_of(11) == 1  # 10.6 µs is the edge
    assert bucket_of(99_999_999) == 279
    assert bucket_of(100_000_000) == 280


@given(st.integers(10, 99_999_999))
def test_a_latency_lies_between_its_buckets_edges_and_buckets_are_about_6_percent_wide(us: int) -> None:
    bucket = bucket_of(us)
    assert EDGES_US[bucket] <= us < EDGES_US[bucket + 1]
    assert EDGES_US[bucket + 1] <= EDGES_US[bucket] * 1.09 + 1


def test_histograms_are_merged_by_adding_counts_and_percentiles_come_from_the_whole() -> None:
    whole = merge([{10: 90}, {10: 5, 100: 4}, {120: 1}])
    assert whole == {10: 95, 100: 4, 120: 1}
    assert percentile_us(whole, 0.95) == EDGES_US[11]
    assert percentile_us(whole, 0.99) == EDGES_US[101]
    assert percentile_us({}, 0.5) is None


def test_a_threshold_on_an_edge_is_counted_exactly_and_inside_a_bucket_as_an_interval() -> None:
    histogram = {bucket_of(14_900): 3, bucket_of(15_000): 2, bucket_of(40_000): 1}
    assert slow_between(histogram, 15_000) == (3, 3)
    assert slow_between(histogram, 15_100) == (1, 3)
