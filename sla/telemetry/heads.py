"""How does a stored body begin? Heads that begin as nearly all do are known by their bytes."""

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from plimsoll_agent.core import layout_names as names
from plimsoll_agent.core.layout import MAX_STEPS
from plimsoll_agent.core.varint import Reader

CONTINUED = 0x80  # a byte from here on is not the last one of its number


class Head(NamedTuple):
    """Steps, the meta section, column numbers, where the columns begin, and the last term that has one."""

    n: int
    meta: bytes
    narrow: tuple[int, ...]
    wide: tuple[int, ...]
    at: int
    terms: int


def head_of(data: bytes) -> Head:
    """The head of an inflated body. ValueError or IndexError, with the reason, where it is none."""
    if len(data) > CONTINUED and data[0] == names.VERSION:
        length, at = data[2], 3
        if length >= CONTINUED and data[3]:
            length, at = length & 0x7F | data[3] << 7, 4
        end = at + length
        if end < len(data) and data[at - 1] < CONTINUED:
            after = end + data[end] + 2
            known = _known(data[1], data[end:after])
            if known is not None and len(data) - after == known[1]:
                return Head(data[1], data[at:end], known[0], (), after, known[2])
    return _head(data)


@lru_cache(maxsize=256)
def _known(n: int, listed: bytes) -> tuple[tuple[int, ...], int, int] | None:
    """The narrow columns of `listed`, if no wide one follows them, the bytes of their figures, and the last term."""
    if not 0 < n <= MAX_STEPS or listed[0] >= CONTINUED or len(listed) != listed[0] + 2 or listed[-1]:
        return None
    narrow = _small_numbers(listed[1:-1])
    return None if narrow is None else (narrow, 4 * len(narrow) * n, _last_term(narrow))


def _last_term(columns: tuple[int, ...]) -> int:
    return max(columns, default=0) // names.TERM_BASE


def _small(data: bytes, at: int) -> tuple[int, int]:
    """A number and the place after it."""
    if (value := data[at]) < CONTINUED:
        return value, at + 1
    reader = Reader(data, at)
    return reader.take(), reader.at


def _head(data: bytes) -> Head:
    version, at = _small(data, 0)
    if version != names.VERSION:
        raise ValueError(f"layout version {version} is unknown, this server knows {names.VERSION}")
    n, at = _small(data, at)
    if not 0 < n <= MAX_STEPS:
        raise ValueError(f"body has {n} steps: 1 to {MAX_STEPS} fit a frame")
    length, at = _small(data, at)
    meta = data[at : at + length]
    groups = []
    at += length
    for _ in range(2):
        numbers, at = _column_numbers(data, at)
        groups.append(numbers)
    wanted = (4 * len(groups[0]) + 8 * len(groups[1])) * n
    if len(data) - at != wanted:
        raise ValueError(f"{len(data) - at} bytes of columns, {wanted} announced")
    return Head(n, meta, groups[0], groups[1], at, _last_term((*groups[0], *groups[1])))


@lru_cache(maxsize=256)
def _small_numbers(listed: bytes) -> tuple[int, ...] | None:
    """Column numbers of a byte each, in order: nearly all frames have the same few lists. None for any other."""
    rising = all(a < b for a, b in pairwise(listed))
    return tuple(listed) if rising and (not listed or listed[-1] < CONTINUED) else None


def _column_numbers(data: bytes, at: int) -> tuple[tuple[int, ...], int]:
    count, at = _small(data, at)
    listed = data[at : at + count]
    if len(listed) == count and (small := _small_numbers(listed)) is not None:
        return small, at + count
    reader = Reader(data, at)
    numbers = tuple(reader.take() for _ in range(count))
    at = reader.at
    if any(b <= a for a, b in pairwise(numbers)):
        raise ValueError(f"columns {numbers} are out of order or there twice")
    return numbers, at
