"""Pools that slow down at the same moment have a trouble above them; pools that do so by chance have not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sla.domain.neighbours.backtest import backtest
from sla.domain.neighbours.export import Export
from sla.domain.neighbours.wider import DAY_S, RARE, Onset, chance, together
from tests.domain.neighbours.made import START, pool, slowed

AGO = START - 7 * DAY_S


def onsets(*begun: tuple[int, int]) -> list[Onset]:
    """(pool, minute) each."""
    return [Onset(number, pool, START + 60 * minute) for number, (pool, minute) in enumerate(begun)]


def test_two_of_few_pools_within_minutes_of_each_other_are_no_chance() -> None:
    found = together(onsets((1, 0), (2, 2)), 12, 60, AGO)
    assert sorted(found) == [0, 1]
    assert found[0].pools == 2
    # 12 pools at 0.1 windows a day, seven minutes that count as the same one: 1 - exp(-12 * 0.1 * 7 / 1440).
    assert found[0].chance == pytest.approx(0.0058163, rel=1e-4)


def test_the_same_two_among_five_hundred_pools_are_chance_and_twelve_are_not() -> None:
    assert not together(onsets((1, 0), (2, 2)), 500, 60, AGO)
    assert {
        one.pools for one in together(onsets(*((pool, pool % 3) for pool in range(12))), 500, 60, AGO).values()
    } == {12}


def test_pools_that_open_windows_all_day_need_more_company() -> None:
    busy = onsets(*((1 + minute % 4, -20 * minute) for minute in range(1, 400)))
    pair = [Onset(1_000, 1, START), Onset(1_001, 2, START + 60)]
    assert 1_000 in together(pair, 4, 60, AGO)
    assert 1_000 not in together([*busy, *pair], 4, 60, AGO)


def test_a_fleet_that_is_watched_since_today_is_judged_by_today() -> None:
    morning = [Onset(place, place % 4, START + 1_800 * place) for place in range(12)]
    pair = [Onset(100, 1, START + 30_000), Onset(101, 2, START + 30_000)]
    assert 100 in together([*morning, *pair], 4, 60, AGO)
    assert 100 not in together([*morning, *pair], 4, 60, START)


def test_windows_of_one_pool_and_windows_hours_apart_are_no_company() -> None:
    assert not together(onsets((1, 0), (1, 1), (1, 2), (2, 6), (3, 200)), 3, 60, AGO)


def test_a_pool_whose_own_load_is_up_is_nobodys_company() -> None:
    backup = [Onset(place, place, START, explained=True) for place in range(12)]
    assert not together(backup, 12, 60, AGO)
    assert not together([*backup, Onset(20, 20, START)], 12, 60, AGO)
    assert set(together([*backup, Onset(20, 20, START), Onset(21, 21, START)], 12, 60, AGO)) == {20, 21}


def test_a_pool_whose_load_is_up_shares_what_more_pools_than_such_have_shown() -> None:
    three = [Onset(place, place, START) for place in range(3)]
    up, up_too, named = (
        Onset(10, 10, START + 60, explained=True),
        Onset(11, 11, START + 60, explained=True),
        Onset(12, 12, START + 60, explained=True, named=True),
    )
    found = together([*three, up, named], 12, 60, AGO)
    assert set(found) == {0, 1, 2, 10} and {one.pools for one in found.values()} == {4}
    assert set(together([*three, up, up_too, named], 12, 60, AGO)) == {0, 1, 2}
    assert not together([three[0], up], 12, 60, AGO)


def test_windows_that_their_own_load_explains_make_no_company_more_probable() -> None:
    pair = [Onset(1_000, 1, START), Onset(1_001, 2, START + 60)]
    for explained in (False, True):
        past = [Onset(place, 3, START - 4 * 3_600 * place, explained) for place in range(1, 42)]
        assert (1_000 in together([*past, *pair], 4, 60, AGO)) == explained


def test_chance_is_the_tail_of_a_poisson_variable() -> None:
    assert chance(0, 3.0) == pytest.approx(1.0)
    assert chance(1, 1e-9) == pytest.approx(1e-9)
    assert chance(2, 0.5) == pytest.approx(1 - 1.5 * np.exp(-0.5))


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 600)), max_size=40), st.integers(-9, 9), st.randoms())
def test_neither_order_nor_clock_matters(begun: list[tuple[int, int]], hours: int, random: object) -> None:
    listed = onsets(*begun)
    moved = [Onset(one.window, one.pool, one.start + 3_600 * hours) for one in listed]
    random.shuffle(moved)  # type: ignore[attr-defined]
    found = together(listed, 6, 60, AGO)
    assert together(moved, 6, 60, AGO + 3_600 * hours) == found
    assert all(2 <= one.pools <= 6 and one.chance <= RARE for one in found.values())


@pytest.mark.parametrize(("pools", "a_day"), [(3, 0.1), (40, 0.3), (400, 1.0)])
def test_pools_that_know_nothing_of_each_other_are_seldom_thought_together(pools: int, a_day: float) -> None:
    rng = np.random.default_rng(7)
    days = 28 if pools > 100 else 365
    count = rng.poisson(pools * a_day * days)
    starts = START + 60 * rng.integers(0, 1_440 * days, count)
    listed = [Onset(place, int(rng.integers(pools)), int(start)) for place, start in enumerate(starts)]
    known = {one.window for one in listed if one.start >= START + 7 * DAY_S}
    found = known & set(together(listed, pools, 60, START))
    assert len(found) <= RARE * len(known) + 4 * (RARE * len(known)) ** 0.5


def export(**slots: object) -> Export:
    return Export(60, {name: ([f"{name}-{disk}" for disk in range(8)], one) for name, one in slots.items()})  # type: ignore[misc]


def test_an_export_of_pools_that_slow_down_together_accuses_none_of_them() -> None:
    told = backtest(
        export(
            a=slowed(pool(seed=1), 400, 410, 2.0),
            b=slowed(pool(seed=2), 401, 410, 2.0),
            c=slowed(pool(seed=3), 250, 260, 2.0),
            e=slowed(pool(seed=5), 399, 410, 2.0),
            d=slowed(pool(seed=4), 400, 410, 2.0, culprit=3),
        )
    )
    said = {window["pool"]: window for window in told["windows"]}
    assert {name: window["cause"] for name, window in said.items()} == {
        "a": "wider",
        "b": "wider",
        "e": "wider",
        "c": "backend",
        "d": "neighbour",  # its own load explains it
    }
    assert said["a"]["pools_together"] == 3 and said["a"]["suspects"] == [] and said["a"]["confidence"] > 0.99
    assert said["c"]["pools_together"] is None
    assert [one["disk"] for one in said["d"]["suspects"]][:1] == ["d-3"]
