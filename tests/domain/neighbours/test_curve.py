"""What load explains is taken off; what it cannot explain stays."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sla.domain.neighbours.baseline import fit_baseline
from sla.domain.neighbours.curve import fit_curves, read_curves
from sla.domain.neighbours.slots import PoolSlots
from tests.domain.neighbours.made import START, pool


def test_a_latency_that_follows_the_load_leaves_no_residual() -> None:
    rng = np.random.default_rng(3)
    ios = np.round(rng.uniform(1_000, 60_000, (3, 2_000)))
    slots = PoolSlots(60, START + 60 * np.arange(2_000), ios, ios * 4_096.0, ios * (ios / 10_000) ** 0.5)
    left = fit_baseline(slots, np.ones(2_000, bool)).residuals(slots)
    assert np.abs(left).mean() < 0.05
    assert np.abs(slots.log_latency() - np.median(slots.log_latency())).mean() > 0.2


def test_a_load_that_never_changes_explains_nothing() -> None:
    latency = np.random.default_rng(5).normal(0, 1, (2, 400))
    curves = fit_curves(np.full((2, 400), 7.0), latency)
    assert np.all(read_curves(curves, np.array([[7.0, 9.0], [3.0, 7.0]])) == 0)


def test_a_disk_without_a_past_has_no_residual_and_disturbs_nobody() -> None:
    slots = pool(4)
    slots.ios[2] = 0
    slots.time_ms[2] = 0
    left = fit_baseline(slots, np.ones(600, bool)).residuals(slots)
    assert np.isnan(left[2]).all()
    assert np.isfinite(left[[0, 1, 3]]).all()


@given(st.integers(1, 6), st.integers(0, 80), st.integers(0, 10**6))
def test_curves_are_finite_and_level_beyond_what_was_seen(disks: int, slots: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    load = np.where(rng.random((disks, slots)) < 0.2, np.nan, np.round(rng.normal(8, 2, (disks, slots))))
    latency = np.where(rng.random((disks, slots)) < 0.2, np.nan, rng.normal(0, 1, (disks, slots)))
    curves = fit_curves(load, latency)
    ends = read_curves(curves, np.tile([-1e9, -1e8, 1e8, 1e9], (disks, 1)))
    assert np.isfinite(ends).all()
    assert np.allclose(ends[:, 0], ends[:, 1])
    assert np.allclose(ends[:, 2], ends[:, 3])
    assert np.isnan(read_curves(curves, np.full((disks, 1), np.nan))).all()


@given(st.floats(0.1, 50), st.integers(0, 10**6))
def test_twice_the_latency_always_is_the_same_residual_whatever_the_disk(factor: float, seed: int) -> None:
    slots = pool(3, 200, seed=seed)
    baseline = fit_baseline(slots, np.ones(200, bool))
    slower = PoolSlots(60, slots.starts, slots.ios, slots.size_bytes, slots.time_ms * factor)
    change = baseline.residuals(slower) - baseline.residuals(slots)
    assert np.allclose(change, np.log(factor), atol=0.01)
