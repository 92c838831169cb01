"""What would simpler detectors have made of the same pools? Static threshold, own mean + 2σ, peers only; for the
culprit: most I/Os, Pearson's correlation. Windows open and close by the same three-of-five rule."""

from collections.abc import Callable

import numpy as np

from bench.neighbours_case import Case
from bench.neighbours_judge import POOL_WIDE
from sla.domain.neighbours.rules import Rule, Thresholds
from sla.domain.neighbours.slots import Floats, PoolSlots
from sla.domain.neighbours.track import Span, track

STATIC_MS = 15.0
THREE_OF_FIVE = Rule(3, 5, 0.0, 1.0)
Series = tuple[Floats, float]


def static(case: Case) -> Series:
    """Median latency of the pool over the contract's 15 ms."""
    return np.exp(_median(case.slots.log_latency())), STATIC_MS


def own_mean(case: Case) -> Series:
    """Mean latency of the pool over its own mean and two standard deviations in the history; load is not asked."""
    mean = np.exp(case.slots.log_latency())
    known = np.isfinite(mean)
    values = np.where(known, mean, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    past = values[case.slots.starts < case.since]
    return values, float(past.mean() + 2 * past.std())


def peers_only(case: Case) -> Series:
    """Half of the disks over 1.5 times what their peers take at that moment, each by its usual distance from them."""
    latency = case.slots.log_latency()
    apart = latency - _median(latency)
    history = case.slots.starts < case.since
    usual = np.array([np.median(row[np.isfinite(row)]) if np.isfinite(row).any() else 0.0 for row in apart[:, history]])
    over = apart - usual[:, None] > np.log(1.5)
    return over.sum(axis=0) / np.maximum(np.isfinite(apart).sum(axis=0), 1), 0.5


RIVALS: dict[str, Callable[[Case], Series]] = {
    "static_threshold": static,
    "own_mean_2_sigma": own_mean,
    "peers_only": peers_only,
}


def windows(case: Case, rival: Callable[[Case], Series]) -> list[Span]:
    """That detector's windows after the history."""
    values, level = rival(case)
    thresholds = Thresholds((THREE_OF_FIVE,), (level,), hot=level)
    spans = track(case.slots.starts.tolist(), values.tolist(), case.slots.step_s, thresholds)
    return [span for span in spans if span.end > case.since]


def most_ios(slots: PoolSlots, inside: np.ndarray) -> Floats:
    """Each disk's share of the window's I/Os, (D,)."""
    ios = np.nansum(slots.ios[:, inside], axis=1)
    return ios / max(float(ios.sum()), 1.0)


def pearson(slots: PoolSlots, inside: np.ndarray) -> Floats:
    """Correlation of each disk's I/Os with the pool's median latency, in the window and an hour around it, (D,)."""
    places = np.flatnonzero(inside)
    around = slice(max(int(places[0]) - 60, 0), int(places[-1]) + 61)
    heat = _median(slots.log_latency()[:, around])
    ios = np.nan_to_num(slots.ios[:, around])
    known = np.isfinite(heat)
    if known.sum() < 3:
        return np.zeros(slots.disks)
    ios, heat = ios[:, known] - ios[:, known].mean(axis=1, keepdims=True), heat[known] - heat[known].mean()
    size = np.sqrt((ios**2).sum(axis=1) * (heat**2).sum())
    return np.divide(ios @ heat, size, out=np.zeros(slots.disks), where=size > 0)


CULPRITS: dict[str, Callable[[PoolSlots, np.ndarray], Floats]] = {"top_iops": most_ios, "pearson": pearson}


def accusations(case: Case) -> list[tuple[str, float, bool, bool]]:
    """(rival, score of its first suspect, right, somebody did it) of every event of the whole pool."""
    found = []
    for event in case.events:
        inside = (case.slots.starts + case.slots.step_s > event.start) & (case.slots.starts < event.end)
        if event.cause not in POOL_WIDE or not event.fair or not inside.any():
            continue
        for name, rival in CULPRITS.items():
            score = rival(case.slots, inside)
            top = int(np.argmax(score))
            found.append((name, float(score[top]), top == event.culprit, event.culprit is not None))
    return found


def _median(rows: Floats) -> Floats:
    """Of each column; NaN where nothing is known."""
    known = np.isfinite(rows).any(axis=0)
    result = np.full(rows.shape[1], np.nan)
    if known.any():
        result[known] = np.nanmedian(rows[:, known], axis=0)
    return result
