"""The part of MessagePack that requests and spool files need: nil, bool, int, float, str, bin, list, map.

Source: the format's specification (github.com/msgpack/msgpack/blob/master/spec.md); written out so that the agent
needs no library for it.
"""

from __future__ import annotations

import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

DEEPEST = 32


class MsgpackError(ValueError):
    """Bytes that are not what this module writes; the message says what stands there."""


def pack(value: Any) -> bytes:
    """`value` as MessagePack. Raises TypeError for other types, OverflowError for integers over 64 bits."""
    out = bytearray()
    _put(out, value)
    return bytes(out)


def array_head(count: int) -> bytes:
    """The beginning of a list whose `count` values follow: packed values can be joined without being read."""
    return _head(count, 0x90, 15, b"\xdc", b"\xdd")


def _put(out: bytearray, value: Any) -> None:
    if value is None:
        out.append(0xC0)
    elif value is True or value is False:
        out.append(0xC3 if value else 0xC2)
    elif isinstance(value, int):
        _put_int(out, value)
    elif isinstance(value, float):
        out += b"\xcb" + struct.pack(">d", value)
    elif isinstance(value, str):
        raw = value.encode()
        out += bytes((0xD9, len(raw))) if 31 < len(raw) < 256 else _head(len(raw), 0xA0, 31, b"\xda", b"\xdb")
        out += raw
    elif isinstance(value, (bytes, bytearray)):
        out += bytes((0xC4, len(value))) if len(value) < 256 else _head(len(value), 0, -1, b"\xc5", b"\xc6")
        out += value
    elif isinstance(value, (list, tuple)):
        out += array_head(len(value))
        for item in value:
            _put(out, item)
    elif isinstance(value, dict):
        out += _head(len(value), 0x80, 15, b"\xde", b"\xdf")
        for key, item in value.items():
            _put(out, key)
            _put(out, item)
    else:
        raise TypeError(f"MessagePack here has no {type(value).__name__}: {value!r}")


def _head(count: int, small: int, most: int, two: bytes, four: bytes) -> bytes:
    if count <= most:
        return bytes((small | count,))
    if count < 1 << 16:
        return two + count.to_bytes(2, "big")
    return four + count.to_bytes(4, "big")


def _put_int(out: bytearray, value: int) -> None:
    if -32 <= value < 128:
        out.append(value & 0xFF)
    elif value >= 0:
        width = 1 if value < 1 << 8 else 2 if value < 1 << 16 else 4 if value < 1 << 32 else 8
        out.append({1: 0xCC, 2: 0xCD, 4: 0xCE, 8: 0xCF}[width])
        out += value.to_bytes(width, "big")
    else:
        out.append(0xD3)
        out += value.to_bytes(8, "big", signed=True)


def unpack(data: bytes) -> Any:
    """The one value in `data`. Raises MsgpackError, also when bytes are missing or left over."""
    try:
        value, at = _take(data, 0, 0)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise MsgpackError(f"cut off or broken: {error}") from error
    if at != len(data):
        raise MsgpackError(f"{len(data) - at} bytes follow the value")
    return value


def _take(data: bytes, at: int, depth: int) -> tuple[Any, int]:
    if depth > DEEPEST:
        raise MsgpackError(f"nested deeper than {DEEPEST}")
    tag = data[at]
    at += 1
    if tag < 0x80 or tag >= 0xE0:
        return (tag if tag < 0x80 else tag - 256), at
    if tag < 0x90:
        return _take_map(data, at, tag & 15, depth)
    if tag < 0xA0:
        return _take_list(data, at, tag & 15, depth)
    if tag < 0xC0:
        return _text(data, at, tag & 31)
    if tag in _CONSTANTS:
        return _CONSTANTS[tag], at
    if tag in _NUMBERS:
        form, width = _NUMBERS[tag]
        return struct.unpack_from(form, data, at)[0], at + width
    if tag in _SIZED:
        kind, width = _SIZED[tag]
        size = int.from_bytes(data[at : at + width], "big")
        return _READERS[kind](data, at + width, size, depth)
    raise MsgpackError(f"type byte {tag:#x} at {at - 1} is not used here")


def _raw(data: bytes, at: int, size: int) -> bytes:
    if at + size > len(data):
        raise MsgpackError(f"{size} bytes announced at {at}, {len(data) - at} there")
    return data[at : at + size]


def _text(data: bytes, at: int, size: int, depth: int = 0) -> tuple[str, int]:
    return _raw(data, at, size).decode(), at + size


def _bytes(data: bytes, at: int, size: int, depth: int) -> tuple[bytes, int]:
    return _raw(data, at, size), at + size


def _take_list(data: bytes, at: int, size: int, depth: int) -> tuple[list[Any], int]:
    items = []
    for _ in range(size):
        item, at = _take(data, at, depth + 1)
        items.append(item)
    return items, at


def _take_map(data: bytes, at: int, size: int, depth: int) -> tuple[dict[Any, Any], int]:
    items = {}
    for _ in range(size):
        key, at = _take(data, at, depth + 1)
        items[key], at = _take(data, at, depth + 1)
    return items, at


_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}
_NUMBERS = {
    0xCA: (">f", 4),
    0xCB: (">d", 8),
    0xCC: (">B", 1),
    0xCD: (">H", 2),
    0xCE: (">I", 4),
    0xCF: (">Q", 8),
    0xD0: (">b", 1),
    0xD1: (">h", 2),
    0xD2: (">i", 4),
    0xD3: (">q", 8),
}
_SIZED = {
    0xC4: ("bin", 1),
    0xC5: ("bin", 2),
    0xC6: ("bin", 4),
    0xD9: ("str", 1),
    0xDA: ("str", 2),
    0xDB: ("str", 4),
    0xDC: ("list", 2),
    0xDD: ("list", 4),
    0xDE: ("map", 2),
    0xDF: ("map", 4),
}
_READERS: dict[str, Callable[[bytes, int, int, int], tuple[Any, int]]] = {
    "bin": _bytes,
    "str": _text,
    "list": _take_list,
    "map": _take_map,
}
