"""How do many rows get into a table at once? numpy columns as PostgreSQL's binary COPY format, no row made by hand."""

import struct
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
import psycopg

from sla.domain.evidence import UNKNOWN

HEADER = b"PGCOPY\n\xff\r\n\x00" + struct.pack(">ii", 0, 0)
TRAILER = struct.pack(">h", -1)
# Widths in bytes; moments are int8 microseconds since 2000.
WIDTHS = {"int2": 2, "int4": 4, "int8": 8, "timestamptz": 8, "bool": 1}
EPOCH_2000_S = 946_684_800
CHUNK = 20_000  # rows written at once: about 10 MB
Column = np.ndarray | Sequence[bytes]


def put(cursor: "psycopg.Cursor[tuple]", table: str, columns: Mapping[str, Column]) -> int:
    """COPY these rows; how many there were.

    A column is an array of integers, booleans or (for a timestamptz) Unix seconds, UNKNOWN being NULL, or a list of
    bytes for a bytea, which comes last. Raises KeyError for a column that the table has not got.
    """
    there = types(cursor, table)
    names = list(columns)
    first = columns[names[0]]
    rows = len(first)
    last = names[-1] if there[names[-1]] == "bytea" else None
    fixed = [name for name in names if name != last]
    with cursor.copy(f"COPY {table} ({', '.join(names)}) FROM STDIN (FORMAT BINARY)") as copy:
        copy.write(HEADER)
        for begin in range(0, rows, CHUNK):
            cut = slice(begin, min(begin + CHUNK, rows))
            parts = {name: np.asarray(columns[name][cut]) for name in fixed}
            lines = _lines(parts, {name: there[name] for name in fixed}, len(names))
            if last is not None:
                tails = columns[last][cut]
                lines = [piece for line, tail in zip(lines, tails, strict=True) for piece in (line, _size(tail), tail)]
            copy.write(b"".join(lines))
        copy.write(TRAILER)
    return rows


def types(cursor: "psycopg.Cursor[tuple]", table: str) -> dict[str, str]:
    """PostgreSQL's type of each column."""
    return dict(
        cursor.execute("SELECT column_name, udt_name FROM information_schema.columns WHERE table_name = %s", [table])
    )


@lru_cache(maxsize=4096)
def _length(size: int) -> bytes:
    return struct.pack(">i", size)


def _size(tail: bytes) -> bytes:
    return _length(len(tail))


def _lines(parts: Mapping[str, np.ndarray], types: Mapping[str, str], fields: int) -> list[bytes]:
    """Each row without its bytea. Rows that lack the same fields share a layout."""
    rows = len(next(iter(parts.values())))
    nulls = {name: values == UNKNOWN for name, values in parts.items() if values.dtype == np.int64}
    nulls = {name: missing for name, missing in nulls.items() if missing.any()}
    pattern = np.zeros(rows, np.int64)
    for bit, missing in enumerate(nulls.values()):
        pattern |= missing.astype(np.int64) << bit
    lines: list[bytes] = [b""] * rows
    for one in np.unique(pattern).tolist():
        mine = np.flatnonzero(pattern == one)
        without = {name for bit, name in enumerate(nulls) if one >> bit & 1}
        for place, line in zip(mine.tolist(), _same(parts, types, fields, mine, without), strict=True):
            lines[place] = line
    return lines


def _same(
    parts: Mapping[str, np.ndarray], types: Mapping[str, str], fields: int, mine: np.ndarray, without: set[str]
) -> list[bytes]:
    layout: list[tuple[str, str]] = [("fields", ">i2")]
    for name in parts:
        layout.append((f"{name}:", ">i4"))
        if name not in without:
            layout.append((name, f">i{WIDTHS[types[name]]}"))
    table = np.empty(len(mine), np.dtype(layout))
    table["fields"] = fields
    for name, values in parts.items():
        if name in without:
            table[f"{name}:"] = -1
            continue
        table[f"{name}:"] = WIDTHS[types[name]]
        chosen = values[mine]
        table[name] = (chosen - EPOCH_2000_S) * 1_000_000 if types[name] == "timestamptz" else chosen
    size = table.dtype.itemsize
    flat = table.tobytes()
    return [flat[at : at + size] for at in range(0, len(flat), size)]
