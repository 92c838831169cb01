"""One pool with what was measured of it and what really happened: what every generator of the benchmark yields."""

from dataclasses import dataclass

from sla.domain.neighbours.slots import PoolSlots


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
    """`since`: before it there is only history to learn from, and no event is counted."""

    name: str
    source: str
    slots: PoolSlots
    events: tuple[Event, ...]
    since: int

    @property
    def days(self) -> float:
        """How long it is looked at."""
        return (len(self.slots.starts[self.slots.starts >= self.since]) * self.slots.step_s) / 86_400
