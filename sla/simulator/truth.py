"""What did an event really do in a run? Its culprits, its victims, and how much longer they took because of it."""

from __future__ import annotations

import numpy as np

from sla.simulator.happen import shape
from sla.simulator.noise import Ints
from sla.simulator.solve import Solved
from sla.simulator.trace import Bools, Truth
from sla.simulator.world import Cause, Event, Kind

VICTIM = 1.2
LEAST_RATE = 0.5  # I/Os a second: who asks for less notices nothing
ALONE = (Kind.DISK, Kind.SELF)
CAUSES = {
    Kind.BURST: Cause.NEIGHBOUR,
    Kind.RAMP: Cause.NEIGHBOUR,
    Kind.SPIKES: Cause.NEIGHBOUR,
    Kind.BACKUP: Cause.NEIGHBOUR,
    Kind.FAULT: Cause.BACKEND,
    Kind.MAINTENANCE: Cause.BACKEND,
    Kind.MIGRATION: Cause.BACKEND,
    Kind.DISK: Cause.DISK,
    Kind.SELF: Cause.SELF,
}


def truth_of(event: Event, members: Ints, solved: Solved, there: Bools, times: Ints, step_s: int) -> Truth:
    """The truth of one event as far as it lies in the span."""
    at = (times + step_s > event.start) & (times < event.end) & (shape(event, times) > 0)
    if not at.any():  # between two spikes
        at = (times + step_s > event.start) & (times < event.end)
    cause = CAUSES[event.kind]
    guilty = event.disks if cause in (Cause.NEIGHBOUR, Cause.SELF) else ()
    own = np.isin(members, event.disks)
    busy = there[:, at].all(axis=1) & (np.median(solved.served.rate[:, at], axis=1) > LEAST_RATE)
    typical = np.median(solved.slowdown[:, at], axis=1)
    seen = own if event.kind in ALONE else busy & ~own if cause == Cause.NEIGHBOUR else busy
    factor = np.median(np.median(solved.slowdown[:, at][seen], axis=0)) if seen.any() else 1.0
    return Truth(
        kind=event.kind,
        cause=cause,
        pool=event.pool,
        start=event.start,
        end=event.end,
        culprit=guilty[0] if len(guilty) == 1 else None,
        culprits=guilty,
        victims=tuple(members[seen & (typical >= VICTIM)].tolist()),
        factor=float(factor),
    )
