"""In which bytes is a frame sent packed and stored? (docs/frame-layout.md)

The body holds what a frame of the wire protocol holds, except what stands beside it in columns of its own
(device, identity, vantage, source, start, step_s, n). One deflate stream; inside: version, n, meta section,
column numbers, then all columns byte-shuffled. Canonical: the same content gives the same inflated bytes.
"""

from __future__ import annotations

import sys
import zlib
from array import array

from . import layout_names as names
from .layout_meta import MAX_TERMS, put_meta, take_meta
from .varint import Reader, put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LEVEL = 6
NULL32, NULL64 = -(1 << 31), -(1 << 63)
MAX_STEPS = 60  # a frame never crosses a minute and a step is at least one second
# 19 frame columns and 10 for each of 64 terms, 8 bytes, 60 steps, and the meta section: nothing honest is larger.
MAX_INFLATED = 512 * 1024
_META_KEYS = frozenset({"base", "in_flight_rule", "slow", "machine", *names.HISTOGRAMS})
_FRAME_NAMES = {number: name for name, number in names.FRAME_COLUMNS.items()}
_TERM_NAMES = {number: name for name, number in names.TERM_COLUMNS.items()}
_TERM_KEYS = frozenset({"term", *names.TERM_SCALARS})


class LayoutError(ValueError):
    """A frame that cannot be written down, or bytes that are no frame. The message holds the offending value."""


def encode(frame: dict[str, Any]) -> bytes:
    """Write a frame's arrays, terms, histograms, base and machine as one body.

    Shape: the dict of the wire protocol without the keys that are stored beside it; every array holds the same
    number of integers (units as in the protocol), None where a step was not observed. Raises LayoutError.
    """
    try:
        return zlib.compress(pack(frame), LEVEL)
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        raise LayoutError(str(error) or repr(error)) from error


def decode(body: bytes, n: int) -> dict[str, Any]:
    """Read a body of `n` steps back into the dict that encode was given. Raises LayoutError."""
    try:
        return unpack(inflate(body), n)
    except (ValueError, zlib.error) as error:
        raise LayoutError(str(error)) from error


def inflate(body: bytes) -> bytes:
    """The canonical bytes inside a body; refuses a bomb, a cut stream and anything after its end."""
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(body, MAX_INFLATED)
    except zlib.error as error:
        raise LayoutError(f"body does not inflate: {error}") from error
    if not stream.eof:
        raise LayoutError(f"body is cut off or holds over {MAX_INFLATED} bytes, {len(data)} read")
    if stream.unused_data:
        raise LayoutError(f"{len(stream.unused_data)} bytes follow the body's end")
    return data


def pack(frame: dict[str, Any]) -> bytes:
    """The canonical bytes of a frame, before deflate."""
    columns = _columns_of(frame)
    lengths = {len(values) for _, values in columns}
    if len(lengths) > 1:
        raise ValueError(f"arrays of different lengths: {sorted(lengths)}")
    n = lengths.pop() if lengths else 0
    if n > MAX_STEPS:
        raise ValueError(f"{n} steps, at most {MAX_STEPS} fit a frame")
    narrow: list[tuple[int, array[int]]] = []
    wide: list[tuple[int, array[int]]] = []
    for number, values in columns:
        try:
            narrow.append((number, array("i", [NULL32 if v is None else _checked(v) for v in values])))
        except OverflowError:
            wide.append((number, array("q", [NULL64 if v is None else _checked(v) for v in values])))
    out = bytearray()
    put(out, names.VERSION)
    put(out, n)
    meta = bytearray()
    put_meta(meta, frame)
    put(out, len(meta))
    out += meta
    for group in (narrow, wide):
        put(out, len(group))
        for number, _ in group:
            put(out, number)
    out += _shuffle(narrow, 4)
    out += _shuffle(wide, 8)
    return bytes(out)


def unpack(data: bytes, n: int) -> dict[str, Any]:
    """The inverse of pack."""
    reader = Reader(data)
    version, steps, meta_bytes = reader.take(), reader.take(), reader.take()
    if version != names.VERSION:
        raise ValueError(f"layout version {version} is unknown, this reader knows {names.VERSION}")
    if steps != n or not 0 <= n <= MAX_STEPS:
        raise ValueError(f"body has {steps} steps, {n} were announced")
    meta_end = reader.at + meta_bytes
    frame = take_meta(reader)
    if reader.at != meta_end:
        raise ValueError(f"meta section of {meta_bytes} bytes ends at {reader.at}, not at {meta_end}")
    groups = [_take_numbers(reader) for _ in range(2)]
    for numbers, code, width in zip(groups, "iq", (4, 8)):
        null = NULL32 if width == 4 else NULL64
        flat = _unshuffle(reader.raw(len(numbers) * n * width), code, width)
        for place, number in enumerate(numbers):
            values = flat[place * n : (place + 1) * n].tolist()
            _check_column(number, values, null)
            _place(frame, number, [None if v == null else v for v in values] if null in values else values)
    if reader.at != len(data):
        raise ValueError(f"{len(data) - reader.at} bytes follow the last column")
    return frame


def _columns_of(frame: dict[str, Any]) -> list[tuple[int, list[int | None]]]:
    """Every array of a frame with its column number, in rising order."""
    columns = []
    for name, values in frame.items():
        if name in names.FRAME_COLUMNS:
            columns.append((names.FRAME_COLUMNS[name], values))
        elif name not in _META_KEYS:
            raise ValueError(f"unknown field {name!r}")
    terms = frame.get("slow") or ()
    if len(terms) > MAX_TERMS:
        raise ValueError(f"{len(terms)} terms in one frame, at most {MAX_TERMS} are allowed")
    for place, term in enumerate(terms):
        for name, values in term.items():
            if name in names.TERM_COLUMNS:
                columns.append((names.TERM_BASE * (place + 1) + names.TERM_COLUMNS[name], values))
            elif name not in _TERM_KEYS:
                raise ValueError(f"unknown field {name!r} in a term")
    return sorted(columns, key=lambda column: column[0])


def _checked(value: int) -> int:
    """Refuses what JSON could smuggle in: booleans and numbers at or beyond 2^53."""
    if value is True or value is False or not -1 < value < 1 << 53:
        raise ValueError(f"arrays hold whole numbers from 0 to below 2^53, not {value!r}")
    return value


def _check_column(number: int, values: list[int], null: int) -> None:
    """Values must be null or what an array may hold, and wide only where that is needed: one content, one form."""
    known = [value for value in values if value != null]
    if known and not 0 <= min(known) <= max(known) < 1 << 53:
        raise ValueError(f"column {number} holds {min(known)} … {max(known)}, allowed is from 0 to below 2^53")
    if null == NULL64 and not (known and max(known) >= 1 << 31):
        raise ValueError(f"column {number} is wide and need not be")


def _take_numbers(reader: Reader) -> list[int]:
    count = reader.take()
    numbers: list[int] = []
    for _ in range(count):
        number = reader.take()
        if numbers and number <= numbers[-1]:
            raise ValueError(f"column {number} is out of order or there twice")
        numbers.append(number)
    return numbers


def _place(frame: dict[str, Any], number: int, values: list[Any]) -> None:
    """Put one column where its number says it belongs."""
    place, column = divmod(number, names.TERM_BASE)
    name = (_TERM_NAMES if place else _FRAME_NAMES).get(column)
    holder = frame
    if place:
        terms = frame.get("slow") or ()
        if place > len(terms):
            raise ValueError(f"column {number} belongs to term {place} of {len(terms)}")
        holder = terms[place - 1]
    if name is None or name in holder:
        raise ValueError(f"column {number} is unknown or there twice")
    holder[name] = values


def _shuffle(group: list[tuple[int, array[int]]], width: int) -> bytes:
    """All first bytes of all values, then all second bytes …: the upper ones are nearly all 0 and cost nothing."""
    for _, values in group:
        if sys.byteorder == "big":
            values.byteswap()
    flat = b"".join(values.tobytes() for _, values in group)
    return b"".join(flat[plane::width] for plane in range(width))


def _unshuffle(data: bytes, code: str, width: int) -> array[int]:
    flat = bytearray(len(data))
    values = len(data) // width
    for plane in range(width):
        flat[plane::width] = data[plane * values : (plane + 1) * values]
    out = array(code)
    out.frombytes(bytes(flat))
    if sys.byteorder == "big":
        out.byteswap()
    return out
