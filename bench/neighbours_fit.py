"""With which weights is the right disk accused? Fits the constants of `sla.domain.neighbours.fitted` and prints them.

`python -m bench.neighbours --fit 101,102,…`: a conditional logit by Newton's method with a small ridge, on the
windows that the detector itself found; each twice, once as it stood two slots after it opened and once at its end.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bench.neighbours_case import Case
from bench.neighbours_judge import POOL_WIDE, touches
from bench.neighbours_world import worlds
from sla.domain.neighbours.detect import detect
from sla.domain.neighbours.features import NAMES, features
from sla.domain.neighbours.model import learn
from sla.domain.neighbours.slots import Floats
from sla.domain.neighbours.work import scene, usual_units

RIDGE = 1.0
ROUNDS = 60
POOLS = 10


@dataclass(frozen=True, slots=True)
class Row:
    """A window's features, (D, F), and who did it: a place, or None."""

    table: Floats
    culprit: int | None
    source: str


def rows(case: Case) -> Iterator[Row]:
    """Of every window of the case that belongs to one event of the whole pool."""
    model = learn(case.slots.of(case.slots.starts < case.since))
    found = detect(case.slots, model, since=case.since) if model else None
    for window in found.contentions if found else []:
        mine = [event for event in case.events if touches(window, event)]
        if len(mine) != 1 or mine[0].cause not in POOL_WIDE:
            continue
        for until in {window.span.end, min(window.span.seen + 2 * case.slots.step_s, window.span.end)}:
            last = int(np.searchsorted(case.slots.starts, until if until < window.span.end else until + 3_600))
            slots, left = case.slots.between(0, last), found.left[:last]
            seen = scene(slots, usual_units(slots), left, found.model.thresholds.hot, window.span.start, until)
            yield Row(features(seen), mine[0].culprit, case.source)


def fit(data: list[Row]) -> tuple[Floats, float]:
    """Weights, and nobody's figure: Newton's steps, halved until they help."""
    tables = [np.vstack((np.column_stack((row.table, np.zeros(len(row.table)))), _nobody())) for row in data]
    truth = [len(row.table) if row.culprit is None else row.culprit for row in data]
    weight = np.zeros(len(NAMES) + 1)
    likely = _likely(weight, tables, truth)
    for _ in range(ROUNDS):
        slope, bend = -RIDGE * weight, RIDGE * np.eye(len(weight))
        for table, right in zip(tables, truth, strict=True):
            odds = _odds(table @ weight)
            mean = odds @ table
            slope += table[right] - mean
            bend += (table * odds[:, None]).T @ table - np.outer(mean, mean)
        step = np.linalg.solve(bend, slope)
        while (better := _likely(weight + step, tables, truth)) < likely and np.abs(step).max() > 1e-6:
            step /= 2
        weight, gain, likely = weight + step, better - likely, better
        if gain < 1e-4:
            break
    return weight[:-1], float(weight[-1])


def _nobody() -> Floats:
    return np.append(np.zeros(len(NAMES)), 1.0)


def _odds(figure: Floats) -> Floats:
    odds = np.exp(figure - figure.max())
    result: Floats = odds / odds.sum()
    return result


def _likely(weight: Floats, tables: list[Floats], truth: list[int]) -> float:
    """Logarithm of the likelihood, less the ridge."""
    chosen = (np.log(_odds(table @ weight)[right] + 1e-300) for table, right in zip(tables, truth, strict=True))
    return float(sum(chosen)) - RIDGE * float(weight @ weight) / 2


def print_fit(seeds: list[int]) -> None:
    data = [row for seed in seeds for case in worlds(seed, POOLS) for row in rows(case)]
    counts = {source: sum(row.source == source for row in data) for source in {row.source for row in data}}
    print(f"{len(data)} windows of seeds {seeds}: {counts}", file=sys.stderr)
    weights, nobody = fit(data)
    print(f"WEIGHTS = ({', '.join(f'{value:.2f}' for value in weights)})  # {', '.join(NAMES)}")
    print(f"NOBODY = {nobody:.2f}")
    best = sorted((_top(row, weights, nobody) for row in data), reverse=True)
    for least in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95):
        named = [right for score, right, _ in best if score >= least]
        falsely = sum(score >= least for score, _, alone in best if not alone)
        print(
            f"accuse at {least}: {len(named)} named, {sum(named)} right, {falsely} without a culprit", file=sys.stderr
        )


def _top(row: Row, weights: Floats, nobody: float) -> tuple[float, bool, bool]:
    odds = _odds(np.append(row.table @ weights, nobody))
    first = int(np.argmax(odds[:-1]))
    return float(odds[first]), first == row.culprit, row.culprit is not None
