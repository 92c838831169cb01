"""Does the demonstration's story have something to show, whenever one looks?"""

import numpy as np
import pytest

from sla.demo.cast import CUSTOMERS, POOLS, cast
from sla.demo.story import MAINTENANCE_S, MONTH_S, maintenance, scenario, silent_since
from sla.simulator.run import run
from sla.simulator.world import DAY_S, HOUR_S, Cause, Kind

ANCHOR = 1_763_661_840  # any minute


def test_there_are_200_disks_12_pools_and_8_customers_the_same_each_time() -> None:
    who = cast()
    assert len(who.members) == 200 and len(who.pools) == 12
    assert {member.customer for member in who.members} == set(CUSTOMERS) and len(CUSTOMERS) == 8
    assert [member.number for member in who.members] == list(range(200))
    assert who == cast() and who != cast(2)
    assert len({(member.machine, member.device) for member in who.members}) == 200


def test_a_machine_has_one_customer_and_one_host() -> None:
    who = cast()
    by_machine: dict[str, set[tuple[str, str]]] = {}
    for member in who.members:
        by_machine.setdefault(member.machine, set()).add((member.customer, member.host))
    assert all(len(found) == 1 for found in by_machine.values())


@pytest.mark.parametrize("hours", [0, 3, 11, 26, 100, 700])
def test_at_any_time_there_is_a_culprit_a_fault_without_one_and_a_calm_pool(hours: int) -> None:
    who, now = cast(), ANCHOR + hours * HOUR_S
    events = scenario(who, ANCHOR, now - DAY_S, now).events
    assert any(event.kind == Kind.BURST and event.end > now - 5 * HOUR_S for event in events)
    assert any(event.kind == Kind.FAULT and event.end > now - 8 * HOUR_S for event in events)
    touched = {event.pool for event in events}
    assert {who.pool("ssd-1"), who.pool("archive-1"), who.pool("hdd-3")} - touched >= {who.pool("archive-1")}


def test_at_first_a_window_is_open_and_a_fault_is_just_over() -> None:
    who = cast()
    trace = run(scenario(who, ANCHOR, ANCHOR - HOUR_S, ANCHOR), ANCHOR - HOUR_S, 60)
    causes = {one.cause: one for one in trace.windows if one.kind in (Kind.BURST, Kind.FAULT)}
    assert causes[Cause.NEIGHBOUR].culprit is not None and causes[Cause.NEIGHBOUR].end > ANCHOR
    assert causes[Cause.NEIGHBOUR].factor > 2
    assert causes[Cause.BACKEND].culprit is None and causes[Cause.BACKEND].end < ANCHOR
    assert causes[Cause.BACKEND].factor > 2


def test_a_day_looks_like_a_day() -> None:
    who, midnight = cast(), ANCHOR // DAY_S * DAY_S - DAY_S
    trace = run(scenario(who, ANCHOR, midnight, midnight + DAY_S), midnight, 1_440)
    by_hour = trace.ios.reshape(200, 24, 60).sum(axis=(0, 2))
    assert by_hour[14] > 1.3 * by_hour[3]
    idle = [member.number for member in who.members if member.tenant.rest >= 1]
    assert len(idle) == 4 and trace.ios[idle].sum() < 5
    mean = trace.time_ms.sum(axis=1) / np.maximum(trace.ios.sum(axis=1), 1)
    nvme = [member.number for member in who.in_pool("nvme-1") if member.tenant.rest < 1]
    hdd = [member.number for member in who.in_pool("hdd-1")]
    assert np.median(mean[nvme]) < 0.5
    assert 2 < np.median(mean[hdd]) < 20


def test_maintenance_was_and_comes() -> None:
    past = maintenance(ANCHOR, ANCHOR - MONTH_S, ANCHOR)
    coming = maintenance(ANCHOR, ANCHOR, ANCHOR + 14 * DAY_S)
    assert len(past) >= 9 and len(coming) >= 4 and coming[0] - ANCHOR < 26 * HOUR_S
    assert all(start % DAY_S == 2 * HOUR_S for start in past + coming)
    assert MAINTENANCE_S == HOUR_S and silent_since(ANCHOR) < ANCHOR


def test_a_smaller_fleet_leaves_out_what_it_has_no_pool_for() -> None:
    small = cast(pools=(("ssd-3", 8), ("archive-1", 3)))
    events = scenario(small, ANCHOR, ANCHOR - DAY_S, ANCHOR).events
    assert {event.pool for event in events} == {0} and len(POOLS) == 12
