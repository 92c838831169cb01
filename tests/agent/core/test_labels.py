"""Which completions were probably covered, and which share is slow where nobody queues?"""

from plimsoll_agent.core.calm import BUSY, QUEUED, CalmShare
from plimsoll_agent.core.ideal import MICRO
from plimsoll_agent.core.labels import Labels
from plimsoll_agent.core.sizes import LargestIo

MS = 1_000_000


def labels() -> Labels:
    return Labels(900_000_000, 1000, 13)


def test_a_light_load_is_covered_whole() -> None:
    one = labels()
    for _ in range(100):
        one.step(3, 3, 0, 10 * MS, 2, 0)
    one.close()
    assert (one.covered, one.excess) == (300, 0)


def test_of_a_burst_of_sixty_the_first_thirteen_are_covered_and_leave_first() -> None:
    one = labels()
    one.step(60, 0, 60, 10 * MS, 0, 60)
    for left in range(50, -1, -10):
        one.step(0, 10, left, 10 * MS, 300, left)
    one.close()
    # Half a sub-interval may have passed before it came; nobody worked it off before.
    assert (one.covered, one.excess) == (13, 47)


def test_a_closed_loop_of_64_at_the_contracted_rate_is_excess() -> None:
    one = labels()
    one.step(64, 0, 64, 10 * MS, 0, 64)
    for _ in range(500):
        one.step(9, 9, 64, 10 * MS, 570, 64)
    one.forget()
    for _ in range(500):
        one.step(9, 9, 64, 10 * MS, 570, 64)
    one.close()
    assert one.covered <= 5


def test_a_crowd_that_came_and_left_between_two_samples_came_at_once() -> None:
    one = labels()
    # 20 of 18 that the ideal disk works off in 20 ms, but 210 ms were waited and nothing is left at either end.
    one.step(1, 1, 0, 20 * MS, 1, 0)
    one.step(20, 20, 0, 20 * MS, 210, 0)
    one.step(1, 1, 0, 20 * MS, 1, 0)
    one.close()
    assert one.excess in (6, 7)


def test_what_waits_at_the_end_of_a_late_sample_came_late_and_together_if_the_disk_goes_on() -> None:
    one = labels()
    # 61 in 95 ms would fit an even stream, but 27 of them took 10 ms each and 34 are left: they came as a flush.
    one.step(61, 27, 34, 95 * MS, 264, 34)
    one.step(0, 10, 24, 10 * MS, 311, 24)
    one.close()
    assert one.covered == 13
    stalled = labels()
    stalled.step(61, 27, 34, 95 * MS, 264, 34)
    stalled.step(0, 0, 34, 10 * MS, 0, 34)
    stalled.close()
    assert stalled.excess == 0


def test_the_wait_of_one_slow_io_is_no_queue() -> None:
    one = labels()
    one.step(3, 3, 0, 10 * MS, 3, 0)
    one.step(3, 3, 8, 10 * MS, 80, 0)
    one.step(3, 3, 0, 10 * MS, 3, 0)
    one.close()
    assert one.levels == [0, 0, 0]


def test_a_long_step_is_judged_by_its_mean_in_flight_and_at_most_the_contract_is_covered() -> None:
    one = labels()
    one.step(1200, 1200, 5, 1000 * MS, 4000, 5)
    one.close()
    assert one.covered <= 1000


def test_what_is_slow_in_calm_times_is_expected_of_the_covered_ones() -> None:
    share = CalmShare()
    steps = [(5, 5)] * 90 + [(5, 45)] * 10  # one of 40 ms in every tenth sub-interval
    share.learn(steps, list(range(100)), [1] * 100, 15_000, 900.0, 1.0, 10.0)
    assert share.of(500) == 10


def test_a_sub_interval_beside_a_queue_teaches_nothing() -> None:
    share = CalmShare()
    steps = [(5, 45)] * 100
    share.learn(steps, list(range(100)), [1, QUEUED] * 50, 15_000, 900.0, 1.0, 10.0)
    assert share.of(500) == 0
    share.learn(steps, list(range(100)), [BUSY] * 100, 15_000, 900.0, 1.0, 10.0)
    assert share.of(500) == 0


def test_slow_ones_of_a_burst_that_end_when_it_is_gone_teach_nothing() -> None:
    came_calm, came_queued = CalmShare(), CalmShare()
    steps = [(1, 1)] * 60 + [(1, 42)] + [(1, 1)] * 39
    came_calm.learn(steps, list(range(100)), [1] * 100, 15_000, 900.0, 1.0, 10.0)
    # The slow one ended 40 ms after the burst, in a calm sub-interval.
    came_queued.learn(steps, list(range(100)), [1] * 55 + [QUEUED] * 2 + [1] * 43, 15_000, 900.0, 1.0, 10.0)
    assert (came_calm.of(1000), came_queued.of(1000)) == (10, 0)


def test_a_burst_of_the_second_before_is_remembered() -> None:
    share = CalmShare()
    share.learn([(1, 1)] * 100, list(range(100)), [1] * 98 + [QUEUED, QUEUED], 15_000, 900.0, 1.0, 10.0)
    share.learn([(1, 1)] * 2 + [(1, 42)] + [(1, 1)] * 97, list(range(100)), [1] * 100, 15_000, 900.0, 1.0, 10.0)
    assert share.of(1000) == 0


def test_two_sizes_are_told_apart_by_their_smallest_and_largest() -> None:
    sizes = LargestIo()
    sizes.add(0, 1, 4096, is_long=False)
    sizes.add(1, 1, 524_288, is_long=False)
    assert sizes.bytes == 524_288
    assert sizes.unit_micro(262_144) == 3 * MICRO // 2


def test_ios_below_the_unit_count_one_each_however_many_there_are() -> None:
    sizes = LargestIo()
    for moment in range(100):
        sizes.add(moment, 100, 100 * 65_536, is_long=False)
    assert sizes.bytes == 65_536
    assert sizes.unit_micro(262_144) == MICRO
