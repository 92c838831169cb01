"""Does a simulated world keep its own laws?"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sla.simulator.run import run
from sla.simulator.scenes import world
from sla.simulator.trace import COUNTERS, Trace
from sla.simulator.world import DAY_S, Cause, Event, Kind, Scenario, Tenant
from tests.simulator.worlds import HOUR_S, START, busy, pool, quiet


def same(left: Trace, right: Trace) -> bool:
    return all((getattr(left, name) == getattr(right, name)).all() for name in COUNTERS)


def await_ms(trace: Trace) -> np.ndarray:
    return trace.time_ms / np.maximum(trace.ios, 1)


def test_the_same_seed_gives_the_same_trace_and_another_seed_another() -> None:
    once = run(busy(), START, 600)
    assert same(once, run(busy(), START, 600))
    assert not same(once, run(replace(busy(), seed=6), START, 600))


@settings(max_examples=15, deadline=None)
@given(first=st.integers(0, 1_300), steps=st.integers(1, 140))
def test_a_span_is_the_same_however_much_is_simulated_around_it(first: int, steps: int) -> None:
    whole = run(busy(), START, 1_440)
    part = run(busy(), START + 60 * first, steps)
    cut = slice(first, first + steps)
    assert all((getattr(whole, name)[:, cut] == getattr(part, name)).all() for name in COUNTERS)


@settings(max_examples=20, deadline=None)
@given(more=st.floats(1.0, 4.0), who=st.integers(0, 11), seed=st.integers(0, 50))
def test_more_load_of_one_disk_never_makes_another_faster(more: float, who: int, seed: int) -> None:
    usual = quiet(seed=seed)
    tenants = list(usual.pools[0].tenants)
    tenants[who] = replace(tenants[who], iops=tenants[who].iops * more)
    louder = replace(usual, pools=(replace(usual.pools[0], tenants=tuple(tenants)),))
    before, after = run(usual, START + 10 * HOUR_S, 60), run(louder, START + 10 * HOUR_S, 60)
    assert (after.load >= before.load - 1e-5).all()
    others = np.arange(12) != who
    # The noise is the same in both, and so is chance but for a count or two.
    ratio = await_ms(after)[others].mean(axis=1) / await_ms(before)[others].mean(axis=1)
    assert (ratio > 0.97).all()


def test_the_two_grains_tell_of_the_same_hour() -> None:
    minutes, seconds = run(busy(), START + 2 * HOUR_S, 60, 60), run(busy(), START + 2 * HOUR_S, 3_600, 1)
    for name in ("ios", "bytes", "time_ms"):
        fine = getattr(seconds, name).reshape(24, 60, 60).sum(axis=2)
        coarse = getattr(minutes, name)
        assert np.abs(fine.sum(axis=1) / coarse.sum(axis=1) - 1).max() < 0.06, name
        # Minute by minute they move together: what differs is chance within the minute.
        assert np.corrcoef(fine[4] / fine[4].mean(), coarse[4] / coarse[4].mean())[0, 1] > 0.8, name


def test_events_slow_their_pool_by_about_what_was_asked_and_the_truth_says_by_whom() -> None:
    trace = run(busy(), START, 1_440)
    found = {one.kind: one for one in trace.windows}
    assert len(found) == 7
    assert 1.6 < found[Kind.BURST].factor < 2.4
    assert 1.6 < found[Kind.FAULT].factor < 2.4
    assert 1.6 < found[Kind.BACKUP].factor < 2.4
    assert found[Kind.BURST].cause == Cause.NEIGHBOUR and found[Kind.BURST].culprit == 3
    assert 3 not in found[Kind.BURST].victims and len(found[Kind.BURST].victims) >= 9
    assert found[Kind.FAULT].cause == Cause.BACKEND and found[Kind.FAULT].culprit is None
    assert found[Kind.BACKUP].culprit is None and found[Kind.BACKUP].culprits == (1, 2, 7)
    assert found[Kind.DISK].cause == Cause.DISK and found[Kind.DISK].victims == (5,)
    calm = trace.slowdown[trace.pool[:, 0] == 1]
    assert (calm == 1).all()


def test_latency_follows_from_load_where_an_event_is_at_work() -> None:
    trace = run(busy(), START, 1_440)
    begin = 120  # minutes: the burst
    before, during = slice(begin - 30, begin), slice(begin, begin + 20)
    assert trace.load[0, during].mean() > trace.load[0, before].mean() + 0.1
    culprit, victim = 3, 8
    assert trace.bytes[culprit, during].mean() > 1.5 * trace.bytes[culprit, before].mean()
    assert abs(trace.bytes[victim, during].mean() / trace.bytes[victim, before].mean() - 1) < 0.3
    assert np.median(await_ms(trace)[victim, during]) > 1.4 * np.median(await_ms(trace)[victim, before])


def test_a_closed_loop_asks_for_less_while_its_disk_is_slow() -> None:
    tenants = (Tenant(iops=5_000, threads=4, day=0), *pool().tenants)
    scenario = Scenario(3, (replace(pool(servers=14), tenants=tenants),))
    slow = scenario.with_events(Event(Kind.FAULT, 0, START, HOUR_S, (), 3.0))
    ratio = run(slow, START, 60).ios[0].sum() / run(scenario, START, 60).ios[0].sum()
    assert ratio < 0.6


def test_a_throttled_disk_never_completes_more_than_its_cap_and_queues_instead() -> None:
    capped = Tenant(iops=5_000, threads=64, cap_iops=1_000, day=0, jitter=0.1)
    scenario = Scenario(3, (replace(pool(servers=30), tenants=(capped, *pool().tenants)),))
    trace = run(scenario, START, 60)
    assert trace.ios[0].mean() / 60 == pytest.approx(1_000, rel=0.02)
    assert np.median(await_ms(trace)[0]) > 30
    assert trace.in_flight[0].mean() > 30


def test_a_disk_that_migrates_takes_its_load_with_it() -> None:
    trace = run(busy(), START, 1_440)
    moved = 20 * 60
    assert (trace.pool[9, :moved] == 0).all() and (trace.pool[9, moved:] == 1).all()
    assert trace.ios[9, moved:].sum() > 0
    stays = run(quiet(2), START, 1_440)
    assert trace.load[1, moved:].mean() > stays.load[1, moved:].mean()
    assert trace.load[0, moved + 30 :].mean() < stays.load[0, moved + 30 :].mean()


def test_agents_have_gaps_and_resting_disks_do_nothing() -> None:
    tenants = (Tenant(loss=20), Tenant(rest=0.7), Tenant(rest=1.0), *pool().tenants)
    trace = run(Scenario(1, (replace(pool(), tenants=tenants),)), START, 1_440)
    assert 0.7 < trace.observed[0].mean() < 0.95 and trace.observed[1:].all()
    assert 0.4 < (trace.ios[1] == 0).mean() < 0.9
    assert trace.ios[2].sum() < 10 and trace.ios[3].min() > 0


def test_sizes_are_whole_sectors_and_nothing_is_negative() -> None:
    trace = run(world(3, START, 1, pools=4, warm_days=0), START, 1_440)
    for name in COUNTERS:
        assert getattr(trace, name).min() >= 0, name
    assert (trace.read_bytes % 512 == 0).all() and (trace.write_bytes % 512 == 0).all()
    assert (trace.read_ms[trace.read_ios == 0] == 0).all()


def test_random_worlds_hold_every_kind_of_event_and_clean_pools() -> None:
    made = world(11, START, 6, pools=16, disks=(3, 30))
    assert {event.kind for event in made.events} == set(Kind)
    assert {len(one.tenants) for one in made.pools} <= set(range(3, 31))
    assert all(event.start >= START + DAY_S for event in made.events)
    assert len({event.pool for event in made.events}) < 16


def test_what_is_not_there_is_refused_with_its_number() -> None:
    with pytest.raises(ValueError, match="names disks"):
        run(quiet().with_events(Event(Kind.BURST, 0, START, 600, (99,))), START, 10)
    with pytest.raises(ValueError, match="no multiple"):
        run(quiet(), START + 1, 10)
