"""Slowdowns injected into traces that know nothing of the product's simulator: recorded ones, and a plain noise model.

The recorded ones are the PERSEUS slice where it is there (real latency and throughput, 5-minute slots). A slowdown is
×2 on the whole pool; the culprit's load, if there is one, is put on top; victims in a closed loop ask for less.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from bench.neighbours_case import Case, Event
from bench.perseus import Recorded
from sla.domain.neighbours.slots import Floats, PoolSlots

START = 1_790_000_000 // 86_400 * 86_400
LENGTHS_S = (300, 600, 1_800)
KINDS = ("culprit", "culprit", "nobody", "innocent")


def noise_cases(seed: int, *, pools: int, days: float, warm_days: float, step_s: int = 60) -> Iterator[Case]:
    """Disks whose loads wander by themselves (AR(1), day and night), latency = own × load^a × noise."""
    for index in range(pools):
        rng = np.random.default_rng((seed, index))
        starts = START + step_s * np.arange(int(days * 86_400 // step_s), dtype=np.int64)
        slots = wandering(rng, int(rng.integers(3, 61)), starts, step_s)
        clean = rng.random() < 0.3
        gap = int(86_400 * 0.12)
        moments = [] if clean else range(int(starts[0] + warm_days * 86_400) + gap // 2, int(starts[-1]) - 7_200, gap)
        yield injected(rng, f"noise {seed}/{index}", "noise", slots, list(moments), START + int(warm_days * 86_400))


def wandering(rng: np.random.Generator, disks: int, starts: np.ndarray, step_s: int) -> PoolSlots:
    """A pool of such disks."""
    slots, day = len(starts), 2 * np.pi * (starts % 86_400) / 86_400
    hour = 3_600 / step_s
    base = rng.lognormal(np.log(150), 1.1, disks)
    if rng.random() < 0.5:
        base[rng.integers(disks)] = base.sum() * rng.uniform(0.5, 1.0)  # a permanent heavy hitter
    depth = rng.uniform(0, 0.8, disks)[:, None]
    phase = rng.normal(0, 0.7, disks)[:, None]
    load = base[:, None] * np.exp(
        depth * np.sin(day - phase) + rng.uniform(0.1, 0.5, disks)[:, None] * wander(rng, disks, slots, hour)
    )
    ios = rng.poisson(np.minimum(load * step_s, 1e9)).astype(np.float64)
    idle = rng.random(disks) < 0.05
    ios[idle] *= rng.random((int(idle.sum()), slots)) < 0.2
    size = rng.choice([4096, 8192, 16384, 65536, 262144], disks)[:, None] * rng.lognormal(0, 0.15, (disks, slots))
    own = rng.lognormal(np.log(2.0), 0.8, disks)[:, None]
    common = rng.uniform(0.01, 0.05) * wander(rng, 1, slots, hour / 4)
    rough = rng.uniform(0.04, 0.2, disks)[:, None] * rng.normal(size=(disks, slots))
    with np.errstate(divide="ignore"):
        latency = (
            own
            * np.maximum(load / base[:, None], 0.01) ** rng.uniform(0.0, 0.5, disks)[:, None]
            * np.exp(common + rough)
        )
    return PoolSlots(step_s, starts, ios, ios * size, np.round(ios * latency))


def wander(rng: np.random.Generator, rows: int, slots: int, memory: float) -> Floats:
    """Gaussian noise of unit variance that forgets over `memory` slots, (rows, slots)."""
    keep = np.exp(-1 / max(memory, 0.3))
    fresh = rng.normal(size=(rows, slots)) * np.sqrt(1 - keep**2)
    fresh[:, 0] = rng.normal(size=rows)
    for place in range(1, slots):
        fresh[:, place] += keep * fresh[:, place - 1]
    return fresh


def perseus_cases(seed: int, folder: Path, *, pools: int) -> Iterator[Case]:
    """Hosts (and mixtures of a few hosts) of the recorded clusters as pools; the first four days are history."""
    recorded = [Recorded.read(folder, name) for name in ("A", "C")]
    for index in range(pools):
        rng = np.random.default_rng((seed, 77, index))
        cluster = recorded[int(rng.integers(2))]
        hosts = rng.choice(cluster.hosts, size=int(rng.choice([1, 1, 2, 4])), replace=False)
        chosen = np.flatnonzero(np.isin(cluster.host, hosts) & (cluster.label == 0))
        slots = cluster.slots(rng.permutation(chosen)[: int(rng.integers(3, 61))])
        since = int(slots.starts[0]) + 4 * 86_400
        first = np.flatnonzero(np.diff(slots.starts, prepend=-(10**9)) > 3_600)  # three hours a day are recorded
        moments = [int(slots.starts[place + 14]) for place in first if slots.starts[place] > since]
        clean = rng.random() < 0.3
        yield injected(rng, f"perseus {seed}/{index}", "perseus", slots, [] if clean else moments, since)


def injected(
    rng: np.random.Generator,
    name: str,
    source: str,
    slots: PoolSlots,
    moments: list[int],
    since: int,
    kinds: Sequence[str] = KINDS,
) -> Case:
    """The same pool with an event at each of these moments (shifted by up to a slot: slots know nothing of events), of
    these kinds in turn."""
    ios, size, time = slots.ios.copy(), slots.size_bytes.copy(), slots.time_ms.copy()
    events = []
    for turn, moment in enumerate(moments):
        start = moment + int(rng.integers(0, slots.step_s))
        end = start + int(rng.choice(LENGTHS_S))
        part = np.clip(
            (np.minimum(end, slots.starts + slots.step_s) - np.maximum(start, slots.starts)) / slots.step_s, 0, 1
        )
        inside = part > 0
        if not inside.any():
            continue
        kind = kinds[turn % len(kinds)]
        factor = 2.0
        each = factor * rng.lognormal(0, 0.12, slots.disks)[:, None]
        asks = each ** -rng.choice([0.0, 0.0, 0.5, 1.0], slots.disks)[:, None]
        culprit = None
        grow = np.ones((slots.disks, 1))
        if kind == "culprit":
            culprit = int(rng.integers(slots.disks))
            total, own = np.nansum(size[:, inside], axis=0).mean(), np.nanmean(size[culprit, inside])
            asks[culprit], grow[culprit] = 1.0, 1.0 + rng.uniform(0.3, 2.0) * total / max(own, 1.0)
        if kind == "innocent":
            heavy = int(np.nanargmax(np.nanmedian(size, axis=1)))
            wild = slice(max(int(np.flatnonzero(inside)[0]) - int(rng.integers(2, 30)), 0), None)
            wave = 1 + rng.uniform(0.1, 0.4) * (np.sin(np.arange(ios.shape[1])[wild] * rng.uniform(0.2, 1.5)) > 0)
            ios[heavy, wild] *= wave
            size[heavy, wild] *= wave
            time[heavy, wild] *= wave
        change = 1 + part[inside] * (asks * grow - 1)
        ios[:, inside] *= change
        size[:, inside] *= change
        time[:, inside] *= change * (1 + part[inside] * (each - 1))
        cause = "neighbour" if culprit is not None else "backend"
        events.append(Event(f"{kind}", cause, start, end, culprit, factor))
    return Case(name, source, PoolSlots(slots.step_s, slots.starts, ios, size, np.round(time)), tuple(events), since)
