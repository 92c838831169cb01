"""Whole numbers of variable length (LEB128), many at once: the numpy twin of the agent core's varint."""

from array import array
from collections.abc import Sequence
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from plimsoll_agent.core.varint import MAX_BYTES

Ints = NDArray[np.int64]
# Up to so many sections a loop is faster than numpy's some thirty calls.
FEW = 3


def write(rows: Sequence[Sequence[int]]) -> list[bytes]:
    """Each row of numbers from 0 to 2^63 - 1 as its bytes."""
    values = np.frombuffer(array("q", list(chain.from_iterable(rows))), np.int64)
    size = np.ones(len(values), np.int64)
    for place in range(1, MAX_BYTES - 1):
        longer = values >> (7 * place) > 0
        if not longer.any():
            break
        size += longer
    ends = np.cumsum(size)
    starts = ends - size
    data = np.zeros(int(ends[-1]) if len(ends) else 0, np.uint8)
    for place in range(int(size.max(initial=0))):
        here = np.flatnonzero(size > place)
        more = (size[here] > place + 1).astype(np.uint8) << 7
        data[starts[here] + place] = ((values[here] >> (7 * place)) & 0x7F).astype(np.uint8) | more
    borders = np.concatenate(([0], ends))[np.cumsum([0, *map(len, rows)])].tolist()
    packed = data.tobytes()
    return [packed[first:last] for first, last in pairwise(borders)]


def read(sections: Sequence[bytes]) -> list[list[int]]:
    """Each section, none empty and none ending inside a number, as the numbers it holds.

    A number that is spelt longer than it needs, or is 2^63 or more, reads as -1: no field accepts it.
    """
    if len(sections) <= FEW:
        return [_read_one(section) for section in sections]
    values, borders = flat(sections)
    listed = values.tolist()
    return [listed[first:last] for first, last in pairwise(borders.tolist())]


def flat(sections: Sequence[bytes]) -> tuple[Ints, Ints]:
    """The numbers of all sections one after another, and where each section begins and the last one ends."""
    data = np.frombuffer(b"".join(sections), np.uint8)
    ends = np.flatnonzero(data < 0x80)
    starts = np.concatenate(([0], ends[:-1] + 1))
    lengths = ends - starts + 1
    values = (data[starts] & 0x7F).astype(np.int64)
    for place in range(1, min(int(lengths.max()), MAX_BYTES - 1)):
        longer = np.flatnonzero(lengths > place)
        values[longer] |= (data[starts[longer] + place] & 0x7F).astype(np.int64) << (7 * place)
    values[(lengths >= MAX_BYTES) | ((lengths > 1) & (data[ends] == 0))] = -1
    borders = np.searchsorted(ends, np.cumsum([0, *map(len, sections)]))
    return values, borders


def _read_one(section: bytes) -> list[int]:
    row: list[int] = []
    value = shift = 0
    for byte in section:
        if byte > 0x7F:
            value |= (byte & 0x7F) << shift
            shift += 7
        elif shift == 0:
            row.append(byte)
        else:
            row.append(-1 if byte == 0 or shift >= 7 * (MAX_BYTES - 1) else value | byte << shift)
            value = shift = 0
    return row
