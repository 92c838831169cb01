"""Pools of the product's own simulator (`sla.simulator`), where a culprit's load itself slows the back end down."""

from collections.abc import Iterator

import numpy as np

from bench.neighbours_case import Case, Event
from sla.domain.neighbours.slots import PoolSlots
from sla.simulator.run import run
from sla.simulator.scenes import world
from sla.simulator.trace import Trace, Truth
from sla.simulator.world import DAY_S, Kind, Scenario

START = 1_790_000_000 // DAY_S * DAY_S
KINDS = (Kind.BURST, Kind.RAMP, Kind.SPIKES, Kind.BACKUP, Kind.FAULT, Kind.DISK, Kind.SELF, Kind.MAINTENANCE)
# Under this nobody can see it: neither found nor missed counts.
VISIBLE = 1.3


def cases(seed: int, *, pools: int, days: float, warm_days: float, step_s: int = 60) -> Iterator[Case]:
    """A world of that seed, pool by pool."""
    scenario = world(seed, START, days, pools=pools, kinds=KINDS, warm_days=warm_days)
    trace = run(scenario, START, int(days * DAY_S // step_s), step_s)
    for index in range(pools):
        members = np.flatnonzero((trace.pool == index).any(axis=1))
        yield Case(
            f"simulator {seed}/{index}",
            "simulator",
            pool_slots(trace, index, members),
            events(trace, index, members),
            START + int(warm_days * DAY_S),
            trace.load[index],
        )


def clean_cases(seed: int, pools: int, *, days: float = 7.0, warm_days: float = 3.0) -> Iterator[Case]:
    """Pools to which nothing happens, heavy hitters and hiccups among them: whatever is found there is false."""
    scenario = world(seed, START, days, pools=pools, kinds=(), warm_days=warm_days)
    for index, one in enumerate(scenario.pools):
        alone = Scenario(scenario.seed + index, (one,))
        trace = run(alone, START, int(days * DAY_S // 60), 60)
        slots = pool_slots(trace, 0, np.arange(trace.disks))
        yield Case(f"clean {seed}/{index}", "simulator", slots, (), START + int(warm_days * DAY_S), trace.load[0])


def pool_slots(trace: Trace, index: int, members: np.ndarray) -> PoolSlots:
    """What the agents of these disks reported while they lay in the pool."""
    seen = trace.observed[members] & (trace.pool[members] == index)
    blank = np.where(seen, 1.0, np.nan)
    return PoolSlots(
        trace.step_s,
        trace.times,
        trace.ios[members] * blank,
        trace.bytes[members] * blank,
        trace.time_ms[members] * blank,
    )


def events(trace: Trace, index: int, members: np.ndarray) -> tuple[Event, ...]:
    places = {int(disk): place for place, disk in enumerate(members)}
    return tuple(
        Event(
            one.kind.value,
            one.cause.value,
            one.start,
            one.end,
            _who(one, places),
            float(one.factor),
            fair=one.factor >= VISIBLE,
        )
        for one in trace.windows
        if one.pool == index
    )


def _who(one: Truth, places: dict[int, int]) -> int | None:
    """The culprit by place in its pool; of a disk that is slow alone, that disk."""
    whose = one.victims[0] if one.kind == Kind.DISK and one.victims else one.culprit
    return None if whose is None else places.get(int(whose))
