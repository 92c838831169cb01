"""What do the ages of those that waited in a drought leave over for others?"""

from plimsoll_agent.core.waited import Drought, Waited

MS = 1_000_000


def test_a_drought_tells_how_old_each_is_that_waits_in_it() -> None:
    drought = Drought()
    drought.step(2, 10 * MS)
    drought.step(2, 20 * MS)
    drought.step(5, 30 * MS)
    assert drought.end(50 * MS) == [(2, 40_000), (3, 20_000)]
    assert drought.end(60 * MS) == []


def test_the_ages_come_off_the_sum_before_others_can_have_been_slow() -> None:
    waited = Waited()
    waited.hold([(1, 100_000)], 15_000, 7)
    # 160 + 2 ms less 100 ms, cut to whole ms: under 62 ms, which is four of 15 ms beside the one that waited.
    assert waited.slow(160, 0, 0, 15_000) == 1 + 4
    assert waited.high == 7
    assert waited.slow(160, 0, 0, 15_000) is None


def test_who_may_still_be_in_flight_takes_its_age_along() -> None:
    waited = Waited()
    waited.hold([(1, 100_000), (1, 40_000)], 15_000, 0)
    assert waited.slow(160, 0, 2, 15_000) is None
    # One of them may wait on: in the worst case the older one. 162 ms less 40 ms.
    assert waited.slow(0, 0, 1, 15_000) == 1 + 8
    assert waited.slow(0, 0, 0, 15_000) == 2 + 1


def test_a_discard_that_ended_may_have_been_one_of_those_that_waited() -> None:
    waited = Waited()
    waited.hold([(1, 100_000), (1, 40_000)], 15_000, 0)
    assert waited.slow(160, 1, 0, 15_000) == 1 + 8


def test_ages_below_the_threshold_are_forgotten_and_the_older_drought_is_kept() -> None:
    waited = Waited()
    waited.hold([(3, 14_999)], 15_000, 0)
    assert waited.slow(50, 0, 0, 15_000) is None
    waited.hold([(1, 100_000)], 15_000, 0)
    waited.hold([(1, 40_000)], 15_000, 3)
    assert (waited.high, waited.slow(98, 0, 0, 15_000)) == (0, 1)
