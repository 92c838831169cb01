"""What do the meta sections of many frames say, side by side? The columns of `meta.read_metas`, without its rows.

Sections that hold the same fields are walked together, a numpy step a field. One that does not fit the walk goes to the
reader of single sections, which says what is wrong with it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plimsoll_agent.core import layout_meta
from plimsoll_agent.core import layout_names as names
from plimsoll_agent.core.layout import LayoutError
from sla.telemetry import numbers
from sla.telemetry.check import NULL
from sla.telemetry.meta import LAST_BUCKET, MAX_PAIRS, MAX_VALUE, POOL_START, SCALARS, Meta, read_metas

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
FEW = 4  # up to so many sections of a kind are read one by one
ACCOUNTED = names.RULES["accounted"]
PLACES = {name: place for place, name in enumerate(names.BASE_FIELDS)}


class MetaColumns(NamedTuple):
    """F sections. `base`: (fields, F) in the order of BASE_FIELDS, NULL where not said; `pools`: (terms, F), the pool
    of each frame's k-th term; `terms`: of each frame. `cells`: (K, 3) frame, bucket, count of both histograms."""

    base: Ints
    accounted: Bools
    terms: list[tuple[int, ...]]
    pools: Ints
    cells: Ints
    wrong: dict[int, LayoutError]

    def take(self, keep: Ints) -> "MetaColumns":
        """Of these sections only."""
        where = np.full(len(self.terms), -1, np.int64)
        where[keep] = np.arange(len(keep))
        frame = where[self.cells[:, 0]]
        return MetaColumns(
            self.base[:, keep],
            self.accounted[keep],
            [self.terms[index] for index in keep.tolist()],
            self.pools[:, keep],
            np.column_stack((frame, self.cells[:, 1:]))[frame >= 0],
            {},
        )


def read_columns(sections: Sequence[bytes], *, histograms: bool = True) -> MetaColumns:
    """The sections' columns; `wrong`: which cannot be read and why (their rows say nothing then)."""
    count = len(sections)
    out = MetaColumns(
        np.full((len(names.BASE_FIELDS), count), NULL, np.int64),
        np.zeros(count, bool),
        [()] * count,
        np.zeros((layout_meta.MAX_TERMS, count), np.int64),
        np.zeros((0, 3), np.int64),
        {},
    )
    cells: list[Ints] = []
    ended = np.array([bool(section) and section[-1] < 0x80 for section in sections], bool)
    left = [np.flatnonzero(~ended)]
    walkable = np.flatnonzero(ended)
    if len(walkable) > FEW:
        values, borders = numbers.flat([sections[index] for index in walkable.tolist()])
        values = np.append(values, (0, 0))  # a walk may look past the last section's end
        for members in _alike(values, borders):
            good = np.zeros(len(members), bool)
            if len(members) > FEW:
                good = _walk(out, cells if histograms else None, values, borders, members, walkable[members])
            left.append(walkable[members[~good]])
    else:
        left.append(walkable)
    singly = np.sort(np.concatenate(left)).tolist()
    for index, meta in zip(singly, read_metas([sections[index] for index in singly]), strict=True):
        if isinstance(meta, LayoutError):
            out.wrong[index] = meta
        else:
            _put(out, cells if histograms else None, index, meta)
    together = np.concatenate(cells) if cells else out.cells
    return out._replace(cells=together)


def _alike(values: Ints, borders: Ints) -> list[Ints]:
    """Sections with the same fields in their base, by place."""
    begins, ends = borders[:-1], borders[1:]
    kinds = np.stack([values[begins], values[np.minimum(begins + 1, ends)]])
    first = kinds[:, :1]
    if (kinds == first).all():
        return [np.arange(len(begins))]
    _, which = np.unique(kinds, axis=1, return_inverse=True)
    return [np.flatnonzero(which == kind) for kind in range(int(which.max()) + 1)]


class _Walk:
    """Where each of some sections is being read; `good` until one does not fit."""

    def __init__(self, values: Ints, at: Ints, end: Ints) -> None:
        self.values, self.at, self.end = values, at, end
        self.good = np.minimum.reduceat(values, np.stack([at, end], axis=1).ravel())[::2] >= 0

    def look(self, further: int = 0) -> Ints:
        """The number that comes next, or one further on; any number once a section has ended."""
        return self.values[np.minimum(self.at + further, self.end)]

    def go(self, steps: Ints | int) -> None:
        self.at = np.minimum(self.at + steps, self.end + 1)

    def take(self) -> Ints:
        value = self.look()
        self.go(1)
        return value

    def takes(self, count: int) -> Ints:
        """So many numbers each, (count, sections)."""
        values: Ints = self.values[np.minimum(self.at + np.arange(count)[:, None], self.end)]
        self.go(count)
        return values

    def scalar(self) -> Ints:
        """An optional number; 0 where it is absent or null."""
        kind = self.take()
        first = int(kind[0])
        if first in (layout_meta.ABSENT, layout_meta.NULL) and (kind == first).all():
            return np.zeros(len(kind), np.int64)
        there = (kind == layout_meta.WHOLE) | (kind == layout_meta.MILLIONTHS)
        value = np.where(there, self.look(), 0)
        self.good &= (there | (kind == layout_meta.ABSENT) | (kind == layout_meta.NULL)) & (value <= MAX_VALUE)
        self.go(there)
        return value


def _walk(
    out: MetaColumns, cells: list[Ints] | None, values: Ints, borders: Ints, members: Ints, frames: Ints
) -> Bools:
    """Read sections with the same base fields into `out`; which of them could be."""
    walk = _Walk(values, borders[:-1][members], borders[1:][members])
    mask, null = int(values[walk.at[0]]), int(values[min(walk.at[0] + 1, walk.end[0])])
    known = mask >> 1
    if mask < 0 or null < 0 or known >> len(names.BASE_FIELDS) or null & ~known or (known and not mask & 1):
        return np.zeros(len(members), bool)
    walk.go(2)
    said = [place for place in range(len(names.BASE_FIELDS)) if (known & ~null) >> place & 1]
    base = walk.takes(len(said))
    rule = walk.take()
    walk.good &= rule <= max(names.RULES.values())
    count = walk.take()
    terms = int(max(count[0] - 1, 0))
    walk.good &= np.maximum(count - 1, 0) == terms
    if terms > layout_meta.MAX_TERMS:
        return np.zeros(len(members), bool)
    ids, pools = [], []
    for _ in range(terms):
        ids.append(walk.take())
        scalars = [walk.scalar() for _ in range(SCALARS)]
        pools.append(scalars[POOL_START])
    found = [_histogram(walk, frames, cells is not None) for _ in names.HISTOGRAMS]
    machine = walk.take()
    walk.good &= machine <= 1
    there = machine == 1
    if there.any():
        rest = _Walk(values, walk.at[there], walk.end[there])
        for _ in names.MACHINE_FIELDS:
            rest.scalar()
        walk.at[there] = rest.at
        walk.good[there] &= rest.good
    good: Bools = walk.good & (walk.at == walk.end)
    kept = frames[good]
    out.base[np.array(said, np.int64)[:, None], kept] = base[:, good]
    out.accounted[kept] = rule[good] == ACCOUNTED
    for place, figures in enumerate(pools):
        out.pools[place, kept] = figures[good]
    for frame, listed in zip(kept.tolist(), _rows(ids, good), strict=True):
        out.terms[frame] = listed
    if cells is not None:
        broken = frames[~good]
        cells += [one[~np.isin(one[:, 0], broken)] if len(broken) else one for one in found if one is not None]
    return good


def _rows(ids: list[Ints], good: Bools) -> list[tuple[int, ...]]:
    """The terms of each good frame."""
    if not ids:
        return [()] * int(good.sum())
    table = np.stack(ids)[:, good]
    if table.size and (table == table[:, :1]).all():
        return [tuple(table[:, 0].tolist())] * table.shape[1]
    return list(zip(*table.tolist(), strict=True))


def _histogram(walk: _Walk, frames: Ints, wanted: bool) -> Ints | None:
    """(K, 3) cells of one direction, where wanted."""
    pairs = np.maximum(walk.take() - 1, 0)
    walk.good &= (pairs <= MAX_PAIRS) & (walk.at + 2 * pairs <= walk.end)
    pairs = np.where(walk.good, pairs, 0)
    cells = None
    if wanted:
        owner = np.repeat(np.arange(len(frames)), pairs)
        before = np.cumsum(pairs) - pairs
        at = walk.at[owner] + 2 * (np.arange(len(owner)) - before[owner])
        distance, count = walk.values[at], walk.values[at + 1]
        summed = np.cumsum(distance)
        floor = np.concatenate(([0], summed))[before]
        bucket = summed - floor[owner] - 2
        walk.good[owner[(distance == 0) | (bucket > LAST_BUCKET)]] = False
        cells = np.column_stack((frames[owner], bucket, count))
    walk.go(2 * pairs)
    return cells


def _put(out: MetaColumns, cells: list[Ints] | None, index: int, meta: Meta) -> None:
    """One section that was read by itself."""
    for name, value in meta.base.items():
        if value is not None:
            out.base[PLACES[name], index] = value
    out.accounted[index] = meta.rule == "accounted"
    out.terms[index] = meta.terms
    out.pools[: len(meta.pool_starts), index] = meta.pool_starts
    if cells is not None:
        flat = np.array([*meta.read_hist, *meta.write_hist], np.int64).reshape(-1, 2)
        cells.append(np.column_stack((np.full(len(flat), index), flat)))
