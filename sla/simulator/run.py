"""What would every disk's kernel have counted in this world, from `start` on? The one way in: `run`.

`run(scenario, start, steps, step_s)` is pure: the same arguments give the same arrays. 60 s steps are for detection,
1 s steps see the same slow movements and the same events.
"""

from __future__ import annotations

import numpy as np

from sla.simulator import noise
from sla.simulator.draw import DRAWS, chance_of, counters, noise_of
from sla.simulator.noise import Floats, Ints
from sla.simulator.place import Spans, places
from sla.simulator.solve import Solved, solve
from sla.simulator.trace import COUNTERS, Bools, Trace, Truth
from sla.simulator.truth import truth_of
from sla.simulator.world import DAY_S, Kind, Pool, Scenario

GAP_S = 600  # an agent's gap lasts so long
NEEDS_A_DISK = (Kind.BURST, Kind.RAMP, Kind.SPIKES, Kind.BACKUP, Kind.DISK, Kind.SELF, Kind.MIGRATION)


def run(scenario: Scenario, start: int, steps: int, step_s: int = 60) -> Trace:
    """Simulate `steps` steps of `step_s` seconds from `start` (Unix seconds, a multiple of step_s).

    Any span may be asked for: neighbouring spans fit together, and no event's strength depends on the span.
    Raises ValueError for a span that is not aligned, or an event that names what is not there.
    """
    if start % step_s or steps < 1:
        raise ValueError(f"start {start} is no multiple of step_s {step_s}, or steps {steps} is not positive")
    check(scenario)
    times = start + step_s * np.arange(steps, dtype=np.int64)
    spans = Spans(scenario, step_s, {})
    where = places(scenario, times)
    made = {name: np.zeros((scenario.disks, steps), np.int64) for name in COUNTERS}
    slowdown = np.ones((scenario.disks, steps), np.float32)
    busy = np.zeros((len(scenario.pools), steps), np.float32)
    windows: list[Truth] = []
    for index in range(len(scenario.pools)):
        here = where == index
        members = np.flatnonzero(here.any(axis=1))
        if not len(members):
            continue
        there = here[members]
        solved = solve(scenario, index, members, there, spans, times)
        counts = _counts(scenario, index, members, solved, spans, times)
        for name in COUNTERS:
            made[name][members] += np.where(there, counts[name], 0)
        slowdown[members] = np.where(there, solved.slowdown, slowdown[members])
        busy[index] = solved.served.rho
        own = [event for event in solved.events if event.pool == index]
        windows += [truth_of(event, members, solved, there, times, step_s) for event in own]
    return Trace(
        start=start,
        step_s=step_s,
        **made,
        observed=_observed(scenario, times),
        pool=where,
        slowdown=slowdown,
        load=busy,
        skew_s=np.array([tenant.skew_s for tenant in scenario.tenants]),
        windows=tuple(sorted(windows, key=lambda one: (one.start, one.pool))),
    )


def check(scenario: Scenario) -> None:
    """Raises ValueError for an event that names a pool or a disk that is not there."""
    for event in scenario.events:
        pools = [event.pool, *([event.to_pool] if event.kind == Kind.MIGRATION else [])]
        if any(not 0 <= pool < len(scenario.pools) for pool in pools):
            raise ValueError(f"{event.kind} names pool {pools}, there are {len(scenario.pools)}")
        if any(not 0 <= disk < scenario.disks for disk in event.disks):
            raise ValueError(f"{event.kind} names disks {event.disks}, there are {scenario.disks}")
        if event.kind in NEEDS_A_DISK and not event.disks:
            raise ValueError(f"{event.kind} needs a disk")
        if event.length_s < 1 or event.factor <= 0:
            raise ValueError(f"{event.kind} of length {event.length_s} s and factor {event.factor}")


def _counts(
    scenario: Scenario, index: int, members: Ints, solved: Solved, spans: Spans, times: Ints
) -> dict[str, Ints]:
    """Counters of a pool's disks; each disk's own noise is that of the pool where it began."""
    shape = (len(members), len(times))
    rough, chance = np.empty(shape), np.empty((DRAWS, *shape))
    for home, rows, numbers in spans.homes(members):
        pool = scenario.pools[home]
        rough[rows] = noise_of(pool, home, scenario.seed, times).disk[numbers]
        drawn = chance_of(home, scenario.seed, len(pool.tenants), times, spans.step_s)
        chance[:, rows] = drawn[:, numbers]
    rough *= noise_of(scenario.pools[index], index, scenario.seed, times).pool
    return counters(solved.served, solved.load, solved.disks, rough, chance, spans.step_s)


def _observed(scenario: Scenario, times: Ints) -> Bools:
    """Where each disk's agent was looking."""
    parts = [_looking(pool, index, scenario.seed, times) for index, pool in enumerate(scenario.pools)]
    return np.concatenate(parts)


def _looking(pool: Pool, index: int, seed: int, times: Ints) -> Bools:
    share = np.array([tenant.loss * GAP_S / DAY_S for tenant in pool.tenants])[:, None]
    if not share.any():
        return np.ones((len(pool.tenants), len(times)), bool)
    return np.asarray(_uniform(noise.held(seed, noise.GAPS, index, len(pool.tenants), times, GAP_S)) >= share)


def _uniform(normal: Floats) -> Floats:
    """Of a standard normal, uniform in 0 … 1 (by the logistic curve: right to 0.01)."""
    return np.asarray(1.0 / (1.0 + np.exp(-(0.07056 * normal**3 + 1.5976 * normal))))
