"""The search for the tipping point, on disks whose answer is known."""

from hypothesis import given
from hypothesis import strategies as st

from plimsoll_agent.core.r40 import bucket_of
from plimsoll_agent.probe.limits import Limits
from plimsoll_agent.probe.steps import HIGHEST, Promise, Step, next_concurrency, table, tipping_point

FAST, SLOW = bucket_of(1000), bucket_of(40_000)
ANY = Promise(15_000, 990_000, 0)


def step(concurrency, slow_percent, iops=None):
    ios = iops or 100 * concurrency
    slow = ios * slow_percent // 100
    return Step(concurrency, 1.0, ios, ios * 1000, {FAST: ios - slow, SLOW: slow})


def search(tips_at, promise=ANY):
    done = []
    while (concurrency := next_concurrency(done, promise)) is not None:
        assert len(done) < 20 and concurrency not in [one.concurrency for one in done]
        done.append(step(concurrency, 0 if concurrency <= tips_at else 50))
    return done


@given(st.integers(1, HIGHEST))
def test_the_tipping_point_is_found_to_a_quarter_and_never_beyond(tips_at):
    tip = tipping_point(search(tips_at), ANY)
    assert tips_at * 3 // 4 <= tip.concurrency <= tips_at


def test_a_disk_that_fails_one_at_a_time_has_none():
    done = search(0)
    assert len(done) == 1 and tipping_point(done, ANY) is None


def test_it_ends_where_the_contracted_load_is_kept():
    done = search(HIGHEST, Promise(15_000, 990_000, 500))
    assert [one.concurrency for one in done] == [1, 2, 4, 8]


def test_a_lucky_step_above_a_broken_one_is_no_tipping_point():
    assert tipping_point([step(1, 0), step(2, 5), step(4, 0, iops=9000)], ANY).concurrency == 1


def test_one_in_a_hundred_slow_is_still_met_and_a_little_more_is_not():
    assert Step(1, 1.0, 200, 0, {FAST: 198, SLOW: 2}).meets(ANY)
    assert not Step(1, 1.0, 200, 0, {FAST: 197, SLOW: 3}).meets(ANY)
    assert not Step(1, 1.0, 0, 0, {}).meets(ANY)


def test_the_table_rounds_a_share_down():
    text = table([Step(1, 1.0, 100_000, 100_000_000, {FAST: 98_999 + 1000, SLOW: 1})], ANY)
    assert "99.99%" in text and "100.00%" not in text


def test_the_bytes_that_are_left_shorten_a_step():
    limits = Limits(4096, 0, 1000, 4096 * 5000, 3.0)
    assert limits.seconds_left(0) == 3.0
    assert limits.seconds_left(4000) == 1.0
    assert limits.seconds_left(6000) == 0.0
