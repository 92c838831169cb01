"""Where does each disk lie at each moment, and what do the disks of a pool ask for? Disks migrate with their loads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sla.simulator.demand import TINY, Load, offered
from sla.simulator.noise import Ints
from sla.simulator.trace import Bools
from sla.simulator.world import Kind, Scenario


@dataclass(slots=True)
class Spans:
    """A scenario at one grain, and the loads of its pools' own tenants once they were needed."""

    scenario: Scenario
    step_s: int
    made: dict[int, Load]

    def of(self, home: int, times: Ints) -> Load:
        """The load of the tenants that began in a pool; always asked for the same times."""
        if home not in self.made:
            scenario = self.scenario
            self.made[home] = offered(scenario.pools[home], home, scenario.seed, times, self.step_s)
        return self.made[home]

    def homes(self, members: Ints) -> Iterator[tuple[int, Ints, Ints]]:
        """(pool where they began, which of `members` these are, their numbers within that pool)."""
        home = np.array(self.scenario.home)
        first = np.searchsorted(home, np.arange(len(self.scenario.pools)))
        for pool in np.unique(home[members]).tolist():
            rows = np.flatnonzero(home[members] == pool)
            yield pool, rows, members[rows] - first[pool]


def places(scenario: Scenario, times: Ints) -> npt.NDArray[np.int16]:
    """The pool of each disk at each moment, (D, T)."""
    where = np.repeat(np.array(scenario.home, np.int16)[:, None], len(times), axis=1)
    for event in sorted(scenario.events, key=lambda one: one.start):
        if event.kind == Kind.MIGRATION:
            for disk in event.disks:
                where[disk, times >= event.start] = event.to_pool
    return where


def load_of(spans: Spans, members: Ints, there: Bools, times: Ints) -> Load:
    """What these disks ask of the pool they lie in; nothing while they lie elsewhere (there, (M, T))."""
    shape = (len(members), len(times))
    load = Load(*(np.empty(shape) for _ in range(4)))
    for home, rows, numbers in spans.homes(members):
        own = spans.of(home, times)
        for name in ("rate", "block", "hit", "threads"):
            getattr(load, name)[rows] = getattr(own, name)[numbers]
    load.rate = np.where(there, load.rate, TINY)
    return load
