"""What moves without a reason? Noise that is a function of seed and moment, not of where a run began.

A run of any span therefore sees the same world, and a minute seen second by second the slow movements of its minute.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

BLOCK = 1_440  # a day of minutes: what is drawn at once
# Streams, one for each thing that moves by itself; written out, so that adding one changes none of the others.
LOAD, LOAD_FAST, SIZE, POOL, DISK, TAIL, REST, GAPS, COUNTS, HICCUPS, MIX, DAILY = range(1, 13)


def generator(seed: int, *path: int) -> np.random.Generator:
    """Its own stream for a seed and a path of numbers, each ≥ 0."""
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence([seed, *path])))


def knots(seed: int, stream: int, owner: int, rows: int, first: int, last: int) -> Floats:
    """Standard normals number `first` to `last` (both included) of a stream: (rows, k). Drawn in whole blocks."""
    blocks = range(first // BLOCK, last // BLOCK + 1)
    parts = [generator(seed, stream, owner, block).standard_normal((rows, BLOCK)) for block in blocks]
    offset = first - blocks.start * BLOCK
    return np.concatenate(parts, axis=1)[:, offset : offset + last - first + 1]


def slow(seed: int, stream: int, owner: int, rows: int, times: Ints, every_s: int) -> Floats:
    """Smooth noise of mean 0 and variance 1 at `times`: (rows, steps). It forgets itself after about `every_s`."""
    place = times // every_s
    first, last = int(place.min()), int(place.max()) + 1
    at = knots(seed, stream, owner, rows, first, last)
    angle = (times - place * every_s) * (np.pi / 2 / every_s)
    left = place - first
    return np.asarray(at[:, left] * np.cos(angle) + at[:, left + 1] * np.sin(angle))


def held(seed: int, stream: int, owner: int, rows: int, times: Ints, every_s: int) -> Floats:
    """Standard normals, another one every `every_s`: (rows, steps)."""
    place = times // every_s
    first = int(place.min())
    return np.asarray(knots(seed, stream, owner, rows, first, int(place.max()))[:, place - first])


def white(seed: int, stream: int, owner: int, rows: int, times: Ints, step_s: int) -> Floats:
    """Standard normals, each step its own, each grain other ones: (rows, steps)."""
    return held(seed, stream * 100_000 + step_s, owner, rows, times, step_s)
