"""How do whole columns travel to PostgreSQL? Arrays of one kind in its binary form, written at one go.

Form: array_recv in PostgreSQL's arrayfuncs.c: dimensions, nulls?, element type, length, lower bound, then each element
with its length before it.
"""

from collections.abc import Sequence
from functools import lru_cache
from struct import Struct

HEAD = Struct("!iiIii")
INT2, INT8, BYTEA = 21, 20, 17  # pg_type.oid
INT2S, INT8S, BYTEAS = 1005, 1016, 1001
SIZES = {INT2: (2, "h"), INT8: (8, "q")}


def int2s(values: Sequence[int]) -> bytes:
    """int2[]; struct.error where a value does not fit."""
    return _integers(INT2, values)


def int8s(values: Sequence[int]) -> bytes:
    """int8[]; struct.error where a value does not fit."""
    return _integers(INT8, values)


def byteas(values: Sequence[bytes]) -> bytes:
    """bytea[], each as it is."""
    parts = [_head(BYTEA, len(values))]
    for value in values:
        parts += (len(value).to_bytes(4, "big"), value)
    return b"".join(parts)


def _integers(kind: int, values: Sequence[int]) -> bytes:
    count = len(values)
    size, _ = SIZES[kind]
    listed = [size] * (2 * count)
    listed[1::2] = values
    return _head(kind, count) + _elements(kind, count).pack(*listed)


@lru_cache(maxsize=4096)
def _head(kind: int, count: int) -> bytes:
    return HEAD.pack(1, 0, kind, count, 1) if count else HEAD.pack(0, 0, kind, 0, 0)[:12]


@lru_cache(maxsize=128)
def _elements(kind: int, count: int) -> Struct:
    return Struct("!" + ("i" + SIZES[kind][1]) * count)
