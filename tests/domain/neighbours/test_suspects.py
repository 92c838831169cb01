"""The one who did it is named, an innocent never, and a fault of the storage is nobody's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sla.domain.neighbours.cause import Cause, own_cause, pool_cause, word
from sla.domain.neighbours.detect import detect
from sla.domain.neighbours.features import NAMES, features
from sla.domain.neighbours.fitted import ACCUSE, ACCUSE_WHEN_UP, WEIGHTS
from sla.domain.neighbours.model import learn
from sla.domain.neighbours.slots import PoolSlots
from sla.domain.neighbours.suspects import probabilities, suspicion
from sla.domain.neighbours.work import scene, usual_units
from tests.domain.neighbours.made import pool, slowed


def test_a_pool_twice_as_slow_by_one_disk_names_it_within_two_minutes() -> None:
    slots = slowed(pool(), 400, 410, 2.0, culprit=3)
    found = detect(slots)
    assert found is not None
    (window,) = found.contentions
    starts = slots.starts
    assert (window.span.start, window.span.end) == (starts[400], starts[410])
    assert window.span.seen == starts[402]
    assert window.severity == pytest.approx(2.0, rel=0.1)
    assert (window.verdict.cause, window.verdict.culprit) == (Cause.NEIGHBOUR, 3)
    (first, *_) = window.suspicion.named(60)
    assert (first.disk, first.lag_s) == (3, 0)
    assert first.grew > 0.8


def test_a_slow_back_end_is_nobodys_doing() -> None:
    found = detect(slowed(pool(), 400, 410, 2.0))
    assert found is not None
    (window,) = found.contentions
    assert (window.verdict.cause, window.verdict.culprit) == (Cause.BACKEND, None)
    assert window.verdict.confidence > 0.8


def test_a_permanent_heavy_hitter_is_innocent_of_what_it_always_does() -> None:
    slots = pool()
    slots.ios[2] *= 20
    slots.size_bytes[2] *= 20
    slots.time_ms[2] *= 20
    found = detect(slowed(slots, 400, 410, 2.0))
    assert found is not None
    assert [window.verdict.culprit for window in found.contentions] == [None]


def test_a_pool_at_rest_has_no_window() -> None:
    found = detect(pool())
    assert found is not None
    assert found.contentions == []
    assert found.alone == []
    assert 1.19 < np.exp(found.model.thresholds.least) < 1.3


def test_one_slow_disk_is_a_window_of_its_own_and_not_of_the_pool() -> None:
    slots = pool()
    slots.time_ms[5, 300:330] *= 4
    found = detect(slots)
    assert found is not None
    assert found.contentions == []
    (alone,) = found.alone
    assert (alone.disk, alone.cause) == (5, Cause.DISK)
    assert alone.span.start == slots.starts[300]
    assert alone.severity == pytest.approx(4, rel=0.15)


def test_a_record_of_minutes_says_nothing() -> None:
    assert learn(pool(slots=20)) is None


def test_a_longer_past_with_an_event_in_it_still_knows_what_is_usual() -> None:
    clean, stained = learn(pool(slots=900)), learn(slowed(pool(slots=900), 300, 420, 3.0))
    assert clean is not None
    assert stained is not None
    assert np.allclose(clean.baseline.level, stained.baseline.level, atol=0.05)
    assert stained.thresholds.least < clean.thresholds.least + 0.05


@given(st.integers(0, 10**6), st.integers(1, 12))
def test_probabilities_of_all_and_of_nobody_make_one(seed: int, disks: int) -> None:
    table = np.random.default_rng(seed).uniform(-1, 1, (disks, len(NAMES)))
    score, nobody = probabilities(table)
    assert score.sum() + nobody == pytest.approx(1)
    assert ((score >= 0) & (score <= 1)).all()


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6))
def test_suspicion_does_not_depend_on_the_order_of_the_disks(seed: int) -> None:
    rng = np.random.default_rng(seed)
    slots = slowed(pool(6, 120, seed=seed % 97), 80, 90, 2.0, culprit=int(rng.integers(6)))
    heat = np.where((np.arange(120) >= 80) & (np.arange(120) < 90), 0.7, 0.0)
    turn = rng.permutation(6)
    other = PoolSlots(60, slots.starts, slots.ios[turn], slots.size_bytes[turn], slots.time_ms[turn])

    def told(given: PoolSlots) -> np.ndarray:
        return suspicion(
            scene(given, usual_units(given), heat, 0.2, int(slots.starts[80]), int(slots.starts[90]))
        ).score

    assert np.allclose(told(slots)[turn], told(other))


@given(st.integers(0, 10**6))
def test_features_are_shares(seed: int) -> None:
    slots = pool(5, 100, seed=seed)
    got = scene(slots, usual_units(slots), np.linspace(-1, 1, 100), 0.2, int(slots.starts[70]), int(slots.starts[75]))
    table = features(got)
    assert np.isfinite(table).all()
    assert (np.abs(table) <= 1 + 1e-9).all()


def test_every_feature_has_a_weight_and_an_accusation_needs_to_be_sure() -> None:
    assert len(WEIGHTS) == len(NAMES)
    assert ACCUSE >= 0.9 > ACCUSE_WHEN_UP >= 0.8


def test_a_disk_at_a_load_it_hardly_ever_had_is_slow_by_itself() -> None:
    assert own_cause(0.99, 3.0) == Cause.SELF
    assert own_cause(0.99, 1.05) == Cause.DISK
    assert own_cause(0.5, 3.0) == Cause.DISK
    assert [word(value) for value in (0.95, 0.7, 0.2)] == ["high", "medium", "low"]


def test_no_disk_at_all_is_nobodys_window() -> None:
    got = scene(pool(2), usual_units(pool(2)), np.zeros(600), 0.2, int(pool(2).starts[5]), int(pool(2).starts[9]))
    assert pool_cause(suspicion(got)).culprit is None
