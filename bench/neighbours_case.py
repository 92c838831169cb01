"""One pool with what was measured of it and what really happened: what every generator of the benchmark yields."""

from dataclasses import dataclass

import numpy as np

from sla.domain.neighbours.slots import Floats, PoolSlots

# The back end was really busier in a window than in the hour before it from this factor on.
BUSIER = 1.1


@dataclass(frozen=True, slots=True)
class Event:
    """What happened, [start, end) in Unix seconds. kind: its scenario class; cause as semantics §9; culprit by place,
    None where nobody alone did it; factor: how many times slower the median disk was; fair: it must be found."""

    kind: str
    cause: str
    start: int
    end: int
    culprit: int | None
    factor: float
    fair: bool = True


@dataclass(frozen=True, slots=True)
class Case:
    """`since`: before it there is only history to learn from, and no event is counted. busy: (S,) how much of its time
    the back end worked, where the generator knows."""

    name: str
    source: str
    slots: PoolSlots
    events: tuple[Event, ...]
    since: int
    busy: Floats | None = None

    def overloaded(self, start: int, end: int) -> bool:
        """Was the back end really busier, by what tenants asked of it, though no event was made?"""
        if self.busy is None:
            return False
        starts = self.slots.starts
        inside, before = (starts >= start) & (starts < end), (starts >= start - 3_600) & (starts < start)
        return bool(np.mean(self.busy[inside]) >= BUSIER * np.mean(self.busy[before])) if before.any() else False

    @property
    def days(self) -> float:
        """How long it is looked at."""
        return (len(self.slots.starts[self.slots.starts >= self.since]) * self.slots.step_s) / 86_400
