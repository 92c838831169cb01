"""How does a pool answer its disks over a span, with its events and as if they had not been?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from sla.simulator.backend import Disks, Served, disks_of, serve
from sla.simulator.demand import Load
from sla.simulator.happen import Change, change, strength
from sla.simulator.noise import Floats, Ints
from sla.simulator.place import Spans, load_of, places
from sla.simulator.trace import Bools
from sla.simulator.world import Event, Kind, Scenario

MINUTE_S = 60
SAMPLES = 40  # moments of an event's own time, to find its strength by


@dataclass(slots=True)
class Solved:
    """Expectations of one pool's members over a span; `slowdown` (M, T): over what it would be without its events."""

    load: Load
    disks: Disks
    served: Served
    slowdown: Floats
    events: list[Event]


def solve(scenario: Scenario, index: int, members: Ints, there: Bools, spans: Spans, times: Ints) -> Solved:
    """Solve all steps without events, then those again at which one is at work."""
    pool = scenario.pools[index]
    tenants = scenario.tenants
    disks = disks_of([tenants[disk] for disk in members.tolist()])
    load = load_of(spans, members, there, times)
    served = serve(pool, load, disks, np.full(len(times), pool.service_ms))
    slowdown = np.ones_like(served.rate)
    events = [event for event in scenario.events if touches(event, index, times, spans.step_s)]
    rows = {disk: row for row, disk in enumerate(members.tolist())}
    for first, last in stretches(events, times):
        cut = slice(first, last)
        active = [event for event in events if event.start < times[last - 1] + 1 and times[first] < event.end]
        if not active:
            continue
        at = Change(load.cut(cut), np.full(last - first, pool.service_ms), np.ones((len(members), last - first)))
        for event in active:
            change(event, strong(scenario, index, event), at, rows, times[cut])
        after = serve(pool, at.load, disks, at.service_ms, at.own_factor)
        before = Served(*(getattr(served, name)[..., cut] for name in ("rate", "read_ms", "write_ms", "wait", "rho")))
        slowdown[:, cut] = after.mean_ms(disks.read_ratio) / before.mean_ms(disks.read_ratio)
        for name in ("rate", "read_ms", "write_ms", "wait", "rho"):
            getattr(served, name)[..., cut] = getattr(after, name)
        load.put(cut, at.load)
    return Solved(load, disks, served, slowdown, events)


def touches(event: Event, index: int, times: Ints, step_s: int) -> bool:
    """Is an event at work in this pool in this span? A migration loads both its pools."""
    pools = (event.pool, event.to_pool) if event.kind == Kind.MIGRATION else (event.pool,)
    return index in pools and event.start < int(times[-1]) + step_s and int(times[0]) < event.end


def stretches(events: list[Event], times: Ints) -> list[tuple[int, int]]:
    """The span cut where an event begins or ends: (first, last + 1) step of each part."""
    edges = {0, len(times)}
    for event in events:
        edges |= {int(np.searchsorted(times, moment)) for moment in (event.start, event.end)}
    cuts = sorted(edges)
    return [(first, last) for first, last in pairwise(cuts) if first < last]


@lru_cache(maxsize=4096)
def strong(scenario: Scenario, index: int, event: Event) -> float:
    """An event's strength in a pool, from the load of its own time."""
    minutes = np.arange(event.start // MINUTE_S, max(-(-event.end // MINUTE_S), event.start // MINUTE_S + 1))
    times = minutes[:: -(-len(minutes) // SAMPLES)] * MINUTE_S
    here = places(scenario, times) == index
    members = np.flatnonzero(here.any(axis=1))
    spans = Spans(scenario, MINUTE_S, {})
    tenants = scenario.tenants
    load = load_of(spans, members, here[members], times)
    rows = {disk: row for row, disk in enumerate(members.tolist())}
    return strength(event, scenario.pools[index], load, disks_of([tenants[d] for d in members.tolist()]), rows)
