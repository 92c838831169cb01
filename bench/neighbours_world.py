"""All pools of one seed, from every generator there is: the simulator's, injected noise at 60 s and 300 s, PERSEUS."""

from collections.abc import Iterator

from bench import neighbours_inject, neighbours_sim
from bench.neighbours_case import Case
from bench.perseus import FOLDER


def worlds(seed: int, pools: int = 12, days: float = 7.0) -> Iterator[Case]:
    """`pools` of each generator; the recorded clusters only where they are."""
    yield from neighbours_sim.cases(seed, pools=pools, days=days, warm_days=3.0)
    yield from neighbours_inject.noise_cases(seed, pools=pools, days=5.0, warm_days=2.0)
    yield from neighbours_inject.noise_cases(seed + 50_000, pools=pools, days=5.0, warm_days=2.0, step_s=300)
    if FOLDER.is_dir():
        yield from neighbours_inject.perseus_cases(seed, FOLDER, pools=pools)
