"""What speaks for and against each disk as the one whose load slowed the pool down?"""

import numpy as np

from sla.domain.neighbours.slots import Floats, Ints
from sla.domain.neighbours.work import Scene

NAMES = ("share", "lead", "size", "unusual", "together", "jump", "harmless", "growth")
# Movements of a pool's load that are no reason: a share of what it usually serves.
NOTHING = 0.03
# Slots around the window over which load and slowdown are held against each other.
AROUND = 60
# How many slots the load may rise before the latency to be its reason.
LEADS = 3


def features(scene: Scene) -> Floats:
    """(D, 8), each about 0 (speaks against) … 1 (for); `harmless` the other way round.

    share: of the pool's additional work. lead: share over the largest other one. size: the additional work against
    what the pool usually serves. unusual: against the disk's own movements. together: its work goes up and down with
    the slowdown (as CPI², Zhang et al., EuroSys 2013). jump: how suddenly it rose when the latency did.
    harmless: it has done as much before and the pool stayed calm. growth: times its usual work.
    """
    usual, during = scene.usual, scene.during
    more = np.maximum(during - usual, 0.0)
    share = more / (more.sum() + NOTHING)
    calm = ~scene.inside & (scene.heat <= 0.5 * max(float(scene.heat[scene.inside].max(initial=0.0)), 1e-9))
    return np.column_stack(
        (
            share,
            share - _largest_other(share),
            np.log1p(more / NOTHING) / np.log1p(2 / NOTHING),
            np.minimum(np.log1p(more / _movement(scene, calm)) / np.log1p(30), 1.0),
            _together(scene),
            _jump(scene),
            _harmless(scene, usual, more, calm),
            np.clip(np.log((during + 0.002) / (usual + 0.002)) / np.log(20), 0.0, 1.0),
        )
    )


def _largest_other(share: Floats) -> Floats:
    if len(share) < 2:
        return np.zeros_like(share)
    first, second = np.sort(share)[::-1][:2]
    result: Floats = np.where(share == first, second, first)
    return result


def _movement(scene: Scene, calm: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> Floats:
    """How far each disk's work usually is from its median, (D,)."""
    if not calm.any():
        return np.full(len(scene.work), NOTHING)
    quiet = scene.work[:, calm]
    middle = np.median(quiet, axis=1)
    result: Floats = 1.4826 * np.median(np.abs(quiet - middle[:, None]), axis=1) + 0.05 * middle + 0.002
    return result


def around(scene: Scene) -> Ints:
    """The slots of the window, and up to AROUND calm ones on each side, by place."""
    places = np.flatnonzero(scene.inside)
    if not len(places):
        return places
    return np.arange(max(places[0] - AROUND, 0), min(places[-1] + 1 + AROUND, len(scene.inside)))


def _together(scene: Scene) -> Floats:
    """Correlation of work with the slowdown, (D,), the load up to one slot ahead; never below 0."""
    places = around(scene)
    if len(places) < 4:
        return np.zeros(len(scene.work))
    heat = scene.heat[places]
    ahead = scene.work[:, np.maximum(places - 1, 0)]
    return np.maximum(np.maximum(_correlation(scene.work[:, places], heat), _correlation(ahead, heat)), 0.0)


def _correlation(rows: Floats, column: Floats) -> Floats:
    rows = rows - rows.mean(axis=1, keepdims=True)
    column = column - column.mean()
    size = np.sqrt((rows**2).sum(axis=1) * (column**2).sum())
    result: Floats = np.divide(rows @ column, size, out=np.zeros(len(rows)), where=size > 1e-12)
    return result


def rise_places(scene: Scene, usual: Floats, more: Floats) -> Ints:
    """Where each disk's work first went a third of the way up, (D,), as a place relative to the window's first slot.

    Looked for from some slots before the window on; beyond the record's end where it never did.
    """
    first = int(np.flatnonzero(scene.inside)[0])
    begin = max(first - 2 * LEADS, 0)
    high = scene.work[:, begin:] >= (usual + more / 3)[:, None]
    found = np.where(high.any(axis=1), high.argmax(axis=1), high.shape[1]) + begin - first
    result: Ints = found.astype(np.int64)
    return result


def _jump(scene: Scene) -> Floats:
    """The largest rise within two slots about the window's start, against the disk's usual ones, (D,); 0 … 1."""
    rises = scene.work[:, 2:] - scene.work[:, :-2]
    first = int(np.flatnonzero(scene.inside)[0]) - 2
    near = np.arange(max(first - LEADS + 1, 0), min(first + 3, rises.shape[1]))
    if not len(near):
        return np.zeros(len(scene.work))
    usual = 1.4826 * np.median(np.abs(rises), axis=1) + 0.03 * scene.usual + 0.002
    result: Floats = np.minimum(np.log1p(np.maximum(rises[:, near].max(axis=1), 0.0) / usual) / np.log1p(30), 1.0)
    return result


def _harmless(
    scene: Scene, usual: Floats, more: Floats, calm: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
) -> Floats:
    """How often, in the calm past, it did as much: 0 never … 1 all the time, logarithmic, (D,)."""
    seen = int(calm.sum())
    if seen == 0:
        return np.zeros(len(scene.work))
    times = (scene.work[:, calm] >= (usual + 0.7 * more)[:, None]).sum(axis=1)
    result: Floats = np.log1p(times) / np.log1p(seen)
    return result
