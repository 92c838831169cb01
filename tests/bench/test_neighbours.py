"""The benchmark's own arithmetic, and that every generator's truth is what was done."""

import numpy as np
import pytest

from bench.neighbours_case import Case, Event
from bench.neighbours_figures import precision_of
from bench.neighbours_inject import noise_cases
from bench.neighbours_judge import tell
from bench.neighbours_rivals import RIVALS, windows
from bench.neighbours_sim import cases
from tests.domain.neighbours.made import START, pool, slowed


def test_precision_is_taken_where_four_of_five_culprits_are_named() -> None:
    scored = [(0.9, True, True), (0.8, True, True), (0.7, False, False), (0.6, True, True), (0.5, True, True)]
    assert precision_of([*scored, (0.1, False, True)]) == pytest.approx(4 / 5)
    assert precision_of([(0.9, False, True)]) is None


def test_an_event_is_told_with_its_delay_and_its_name() -> None:
    slots = slowed(pool(slots=700), 600, 610, 2.0, culprit=3)
    event = Event("culprit", "neighbour", START + 600 * 60, START + 610 * 60, 3, 2.0)
    told = tell(Case("x", "made", slots, (event,), START + 500 * 60))
    assert told is not None
    (heard,) = told.heard
    assert (heard.found, heard.delay_s, heard.accused, heard.said) == (True, 120, 3, "neighbour")
    assert (told.windows, told.false, told.clean) == (1, 0, False)


def test_injected_slowdowns_are_twofold_where_they_are_said_to_be() -> None:
    case = next(case for case in noise_cases(3, pools=6, days=1.5, warm_days=0.5) if case.events)
    event = max(case.events, key=lambda one: one.end - one.start)
    starts, latency = case.slots.starts, case.slots.log_latency()
    inside = (starts >= event.start) & (starts + 60 <= event.end)
    before = (starts < event.start - 60) & (starts > event.start - 3_600)
    slower = np.nanmedian(latency[:, inside], axis=1) - np.nanmedian(latency[:, before], axis=1)
    assert np.exp(np.nanmedian(slower)) == pytest.approx(2, rel=0.2)


def test_the_simulators_events_lie_in_their_pools_and_after_the_history() -> None:
    for case in cases(5, pools=2, days=1.5, warm_days=0.5):
        assert all(event.start >= case.since for event in case.events)
        assert all(event.culprit is None or event.culprit < case.slots.disks for event in case.events)


def test_a_slowdown_of_the_whole_pool_is_nothing_to_peers() -> None:
    slots = slowed(pool(slots=700), 600, 610, 2.0)
    case = Case("x", "made", slots, (), START + 500 * 60)
    assert windows(case, RIVALS["peers_only"]) == []
    assert len(windows(case, RIVALS["own_mean_2_sigma"])) >= 1
