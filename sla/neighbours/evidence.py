"""What should a person see of a window? One sentence of reason, and aligned curves of victims and suspects."""

from typing import Any

import numpy as np

from sla.domain.neighbours.cause import Cause
from sla.domain.neighbours.detect import Contention
from sla.domain.neighbours.slots import Floats
from sla.neighbours.figures import STEP_S
from sla.neighbours.store import Minutes

AROUND_S = 1_800
VICTIMS, SUSPECTS = 6, 3
# Longer windows are thinned out: more points than a screen has show nothing more.
MOST_POINTS = 240


def reason(one: Contention, names: dict[int, str], disks: list[int]) -> str:
    """Why this cause, in a sentence for the NOC."""
    times = f"{one.severity:.1f} times slower than usual at its load"
    rise = one.suspicion.rise
    load = f"up by {100 * rise:.0f} %" if rise >= 0.1 else "no higher than before"
    culprit = one.verdict.culprit
    if culprit is not None:
        grew, share = one.suspicion.grew[culprit], one.suspicion.share[culprit]
        return (
            f"The pool was {times}; {names[disks[culprit]]} brought {100 * grew:.0f} % of the additional load "
            f"and {100 * share:.0f} % of all of it."
        )
    if one.verdict.cause == Cause.NEIGHBOUR:
        return f"The pool was {times} and its load {load}, from several disks: no single culprit."
    if one.verdict.cause == Cause.BACKEND:
        return f"The pool was {times} and its load {load}: the storage behind it, no single culprit."
    return f"The pool was {times}; its load was {load}, and no disk stands out: no single culprit."


def reason_wider(severity: float, pools: int) -> str:
    """The same where several pools slowed down at the same moment."""
    return (
        f"{pools} storage pools slowed down at the same moment, this one {severity:.1f} times: that is above the pools "
        "(network, controller, power), and not caused by one pool's disks."
    )


def reason_alone(cause: Cause, severity: float, name: str) -> str:
    """The same for one disk."""
    if cause == Cause.SELF:
        return f"{name} was {severity:.1f} times slower than usual while it asked for more than it hardly ever does."
    return f"{name} alone was {severity:.1f} times slower than its past at this load; its pool was not."


def curves(minutes: Minutes, start: int, end: int, chosen: list[tuple[int, str]]) -> dict[str, Any]:
    """The window and half an hour on both sides, for these disks and their roles."""
    starts = minutes.slots.starts
    inside = np.flatnonzero((starts >= start - AROUND_S) & (starts < end + AROUND_S))
    inside = inside[:: max(1, -(-len(inside) // MOST_POINTS))]
    places = {disk: place for place, disk in enumerate(minutes.disks)}
    latency = np.exp(minutes.slots.log_latency())
    return {
        "t": starts[inside].tolist(),
        "pool": _listed(np.exp(minutes.over[inside])),
        "disks": [
            {
                "disk": disk,
                "role": role,
                "slowdown": _listed(np.exp(minutes.slower[places[disk], inside])),
                "latency_ms": _listed(latency[places[disk], inside]),
                "iops": _listed(minutes.slots.ios[places[disk], inside] / STEP_S),
                "bps": _listed(minutes.slots.size_bytes[places[disk], inside] / STEP_S),
            }
            for disk, role in chosen
            if disk in places
        ],
    }


def _listed(values: Floats) -> list[float | None]:
    return [None if not np.isfinite(value) else float(f"{value:.4g}") for value in values]
