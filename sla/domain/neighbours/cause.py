"""Why was the pool, or the disk, slow, and how sure is that?"""

from dataclasses import dataclass
from enum import StrEnum

from sla.domain.neighbours.suspects import Suspicion

# Below this the pool's load counts as flat.
LOAD_FLAT, MOVEMENTS_FLAT = 0.10, 2.0
# A load over this quantile of the disk's own past is one that it has hardly ever had, or its cap: slow by itself.
OWN_PEAK = 0.95
# And it must have grown over the hour before; a disk that is failing asks for no more than it did.
OWN_GROWTH = 1.15


class Cause(StrEnum):
    """semantics §9."""

    NEIGHBOUR = "neighbour"
    BACKEND = "backend"
    WIDER = "wider"
    DISK = "disk"
    SELF = "self"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The cause, the probability that it is right, and the disk that is accused (by place), if any."""

    cause: Cause
    confidence: float
    culprit: int | None


def pool_cause(suspicion: Suspicion) -> Verdict:
    """Of a window of the whole pool.

    A named culprit makes it a neighbour; without one, a load that is up says neighbours (several), a flat one says the
    back end, and in between nobody knows.
    """
    first = float(suspicion.score.max(initial=0.0))
    if suspicion.accused is not None:
        return Verdict(Cause.NEIGHBOUR, first, suspicion.accused)
    if suspicion.load_up:
        return Verdict(Cause.NEIGHBOUR, 0.5 + 0.5 * min(suspicion.rise, 1.0) * (1.0 - first), None)
    if suspicion.rise <= max(LOAD_FLAT, MOVEMENTS_FLAT * suspicion.movement):
        return Verdict(Cause.BACKEND, suspicion.nobody, None)
    return Verdict(Cause.UNKNOWN, 0.5 * suspicion.nobody, None)


def own_cause(load_quantile: float, growth: float) -> Cause:
    """Of a window of one disk alone: its load among its own past (0 … 1) and against the hour before (times)."""
    return Cause.SELF if load_quantile >= OWN_PEAK and growth >= OWN_GROWTH else Cause.DISK


def word(confidence: float) -> str:
    """For people: how sure."""
    if confidence >= 0.9:
        return "high"
    return "medium" if confidence >= 0.6 else "low"
