"""How much time did a disk lose?"""

from plimsoll_agent.core.lost import LostTime
from plimsoll_agent.core.meter import DiskMeter
from tests.agent.core.world import Io, counters_at, term

MS = 1_000_000


def lost_ms(
    ios: list[Io],
    until_ms: int,
    cadence_ms: int = 10,
    rule: str = "accounted",
    discards: list[Io] | None = None,
) -> int:
    meter = DiskMeter([term()], rule=rule)
    total = 0
    for moment in range(0, until_ms + 1, cadence_ms):
        meter.sample(moment * MS, counters_at(ios, moment * 1000, discards=discards))
        if moment % 1000 == 0:
            total += meter.close_second()[1].lost_ms
    return total + meter.close_second()[1].lost_ms


def test_a_stall_of_three_seconds_loses_all_of_it_but_one_threshold() -> None:
    ios = [Io(1_005_000, 3_000_000, True)]
    # Seen from the sample at 1.01 s to that at 4.00 s, less 15 ms.
    assert lost_ms(ios, 5_000) == 2_975


def test_a_stall_is_seen_at_a_cadence_of_one_second_too() -> None:
    assert lost_ms([Io(1_005_000, 5_000_000, True)], 7_000, cadence_ms=1000) == 3_985


def test_waiting_for_less_than_ten_thresholds_is_slow_but_no_stall() -> None:
    assert lost_ms([Io(1_005_000, 150_000, True)], 2_000) == 0


def test_an_idle_disk_loses_nothing_however_long() -> None:
    assert lost_ms([Io(5_000, 900, True)], 20_000) == 0


def threads(count: int, rate: int, ios: int) -> list[Io]:
    """So many threads, each with one I/O, at a disk that ends `rate` a second, one after the other."""
    ends = [(number + 1) * 1_000_000 // rate for number in range(ios)]
    starts = [1] * count + ends
    return [Io(start, end - start, True) for start, end in zip(starts, ends, strict=False)]


def test_a_full_queue_served_at_two_thirds_of_the_contract_loses_a_third_of_the_time() -> None:
    # 64 threads at 600/s against 900/s, less one threshold and one I/O.
    assert 3_270 <= lost_ms(threads(64, 600, 6_000), 9_900) <= 3_284


def test_a_full_queue_served_at_the_contract_loses_nothing() -> None:
    assert lost_ms(threads(64, 900, 6_000), 5_900) == 0


def test_a_late_sample_owes_nothing_for_a_queue_that_may_have_run_dry() -> None:
    lost = LostTime(900_000_000, 13, 15_000)
    # 200 ms between two samples, 20 in flight at both, 30 done: the queue may have been empty for long.
    for step in range(20):
        at = step * 200 * MS
        lost.step(30, 30, 30, 20, 20, at, at, 200 * MS, at - 200 * MS, at - 200 * MS, 30)
    assert lost.ns == 0


def test_an_io_that_the_kernel_shows_in_flight_and_done_at_once_begins_no_stall() -> None:
    lost = LostTime(900_000_000, 13, 15_000)
    lost.step(1, 1, 0, 1, 1, 10 * MS, 10 * MS, 10 * MS, 0, 0, 0)
    lost.step(0, 0, 0, 1, 1, 160 * MS, 160 * MS, 150 * MS, 10 * MS, 10 * MS, 1)
    assert lost.ns == 0
    lost.step(0, 0, 0, 1, 1, 310 * MS, 310 * MS, 150 * MS, 160 * MS, 160 * MS, 0)
    assert lost.ns == 135 * MS


def test_a_stall_with_a_deep_queue_is_not_counted_twice() -> None:
    ios = [Io(1_000_500, 2_000_000, True) for _ in range(64)]
    assert 1_900 <= lost_ms(ios, 4_000) <= 2_000


FIRST = Io(1_000, 20_000, True)  # as a discard: the first of a train


def test_a_large_discard_is_no_stall() -> None:
    assert lost_ms([], 5_000, discards=[FIRST, Io(1_005_000, 3_000_000, True)]) == 0


def test_what_the_first_discard_seemed_to_lose_in_its_last_second_is_taken_back() -> None:
    assert lost_ms([], 2_000, discards=[Io(1_005_000, 900_000, True)]) == 0


def test_a_read_that_waited_through_a_stall_between_discards_says_how_long_it_was() -> None:
    # The read is seen from 1.01 s to 4.00 s; less the last sub-interval, the rounding and the threshold.
    assert 2_900 <= lost_ms([Io(1_005_000, 3_000_000, True)], 5_000, discards=[FIRST]) <= 2_975


def test_what_hangs_for_longer_than_any_discard_is_a_stall() -> None:
    assert lost_ms([Io(1_005_000, 20_000_000, True)], 15_000, discards=[FIRST]) == 15_000 - 1_010 - 15


def test_a_queue_of_discards_owes_nothing() -> None:
    train = [Io(1_000 + 1_000 * i, 300_000, True) for i in range(3_000)]
    assert lost_ms([Io(5_000 + 50_000 * i, 20_000, True) for i in range(60)], 4_000, discards=[FIRST, *train]) == 0
