"""Is the estimate near the truth where the truth is simple, and whole, and between the bounds?"""

import random

from plimsoll_agent.core.estimate import Whole
from plimsoll_agent.core.meter import DiskMeter
from plimsoll_agent.core.mixture import Mixture
from tests.agent.core.world import Io, counters_at, term


def shares(ios: list[Io], seconds: int) -> tuple[float, float]:
    """(estimate, truth) as shares of all I/Os, samples each 10 ms."""
    meter = DiskMeter([term(iops=10**6, depth=10**6)])
    estimate = done = 0
    arrived = sorted(ios, key=lambda io: io.end)
    for moment in range(0, seconds * 1000 + 1, 10):
        # Only what can differ at this moment: those that ended long ago are summed up beforehand.
        meter.sample(moment * 1_000_000, counters_at(arrived, moment * 1000))
        if moment % 1000 == 0 and moment:
            meter.close_second()
            estimate += meter.raw(1).est
            done += meter.raw(1).ios
    return estimate / done, sum(io.latency >= 15_000 for io in ios) / len(ios)


def poisson(rate: int, seconds: int, latency: object, seed: int = 3) -> list[Io]:
    rng = random.Random(seed)
    now, out = 0.0, []
    while now < seconds - 0.1:
        now += rng.expovariate(rate)
        out.append(Io(int(now * 1_000_000), latency(rng), True))  # type: ignore[operator]
    return out


def test_three_slow_of_a_hundred_among_fast_ones_are_found_within_half_a_percent() -> None:
    ios = poisson(300, 8, lambda rng: 40_000 if rng.random() < 0.03 else rng.randint(300, 1500))
    estimate, truth = shares(ios, 8)
    assert abs(estimate - truth) < 0.005


def test_no_slow_io_is_seen_where_all_take_half_a_threshold() -> None:
    estimate, _ = shares(poisson(300, 5, lambda rng: rng.randint(5_000, 9_000)), 5)
    assert estimate < 0.002


def test_all_are_slow_where_all_take_two_thresholds() -> None:
    estimate, _ = shares(poisson(200, 5, lambda rng: rng.randint(28_000, 32_000)), 5)
    assert estimate > 0.99


def test_fractions_are_not_lost_by_making_seconds_whole() -> None:
    whole = Whole()
    assert sum(whole.of(0.3, 0, 9) for _ in range(100)) in (29, 30, 31)


def test_a_whole_number_never_leaves_the_bounds() -> None:
    whole = Whole()
    assert whole.of(7.9, 0, 5) == 5
    assert whole.of(0.0, 2, 5) == 2


def test_a_stall_does_not_make_two_slow_ones_look_like_one_of_twice_the_size() -> None:
    mixture = Mixture()
    mixture.start(0.6)
    usual = [(15, 9)] * 40 + [(15, 49)] * 8 + [(15, 89)]
    for _ in range(20):
        mixture.learn(usual)
    mixture.learn([*usual, (1, 130), (1, 135), (2, 131)])
    assert mixture.slow(50.0, 15, mixture.learn(usual)[15, 89]) < 0.01
