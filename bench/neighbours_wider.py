"""Are pools that slow down at the same moment told from those that do so by chance? Fleets of the noise model.

Each pool of a fleet has events of its own, culprits' and nobody's, at moments of its own; at some moments several of
them slow down together, without anybody's load.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from bench.neighbours_case import Event
from bench.neighbours_inject import START, injected, wandering
from bench.neighbours_judge import touches
from sla.domain.neighbours.detect import Contention, detect
from sla.domain.neighbours.model import learn
from sla.domain.neighbours.wider import Onset, together

STEP_S, DAY_S = 60, 86_400
POOLS, DAYS, WARM_DAYS = 12, 4, 2
# Moments of a fleet at which several pools slow down, and of a pool by itself.
SHARED, OWN = 6, 8


def wider(seeds: Sequence[int]) -> dict[str, float | int | None]:
    """Of the windows of shared moments that nobody's load explains: how many are called wider; of all others, too."""
    of_shared = of_others = right = wrong = 0
    for seed in seeds:
        told = list(_fleet(seed))
        onsets = [
            Onset(place, pool, window.span.start, window.suspicion.load_up, window.verdict.culprit is not None)
            for place, (pool, window, _) in enumerate(told)
        ]
        called = set(together(onsets, POOLS, STEP_S, START + WARM_DAYS * DAY_S))
        shared = {place for place, (_, _, is_shared) in enumerate(told) if is_shared}
        of_shared, of_others = of_shared + len(shared), of_others + len(told) - len(shared)
        right, wrong = right + len(called & shared), wrong + len(called - shared)
    return {
        "recall": round(right / of_shared, 4) if of_shared else None,
        "false_ratio": round(wrong / of_others, 4) if of_others else None,
        "windows_shared": of_shared,
        "windows_of_one_pool": of_others,
    }


def _fleet(seed: int) -> Iterator[tuple[int, Contention, bool]]:
    """Pool, window, and whether it is one of a moment that it shares with others."""
    rng = np.random.default_rng((seed, 5))
    starts = START + STEP_S * np.arange(DAYS * DAY_S // STEP_S, dtype=np.int64)
    since = START + WARM_DAYS * DAY_S
    grid = rng.permutation(np.arange(since + 3_600, int(starts[-1]) - 7_200, 5_400))
    moments = [(int(at), set(rng.permutation(POOLS)[: int(rng.integers(2, POOLS + 1))])) for at in grid[:SHARED]]
    for pool in range(POOLS):
        slots = wandering(rng, int(rng.integers(6, 40)), starts, STEP_S)
        mine = [int(at) + int(rng.integers(0, 3_000)) for at in rng.permutation(grid[SHARED:])[:OWN]]
        own = injected(rng, "", "noise", slots, mine, since)
        both = injected(
            rng, "", "noise", own.slots, [at for at, pools in moments if pool in pools], since, kinds=("nobody",)
        )
        model = learn(both.slots.of(starts < since))
        found = detect(both.slots, model, since=since) if model is not None else None
        for window in found.contentions if found is not None else ():
            yield pool, window, _of_any(window, both.events)


def _of_any(window: Contention, events: Sequence[Event]) -> bool:
    return any(touches(window, event) for event in events)
