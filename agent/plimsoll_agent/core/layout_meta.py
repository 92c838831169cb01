"""How is everything of a frame that is not a column written down, and read back?"""

from __future__ import annotations

import struct

from . import layout_names as names
from .varint import Reader, put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ABSENT, NULL, WHOLE, MILLIONTHS, DOUBLE = range(5)
_MILLION = 1_000_000
MAX_TERMS = 64  # a disk has one contract, and a handful of versions at the most on one day


def put_meta(out: bytearray, frame: dict[str, Any]) -> None:
    """Append base, in_flight_rule, the terms' scalars, histograms and machine, in this order."""
    _put_base(out, frame.get("base"))
    rule = frame.get("in_flight_rule")
    if rule is not None and rule not in names.RULES:
        raise ValueError(f"in_flight_rule must be accounted or driver, not {rule!r}")
    put(out, names.RULES[rule] if rule is not None else 0)
    terms = frame.get("slow")
    put(out, 0 if terms is None else len(terms) + 1)
    for term in terms or ():
        put(out, _below_limit(term["term"], "term"))
        for name in names.TERM_SCALARS:
            put_number(out, term, name)
    for name in names.HISTOGRAMS:
        _put_histogram(out, frame.get(name))
    machine = frame.get("machine")
    put(out, 0 if machine is None else 1)
    if machine is not None:
        _refuse_unknown(machine, names.MACHINE_FIELDS, "machine")
        for name in names.MACHINE_FIELDS:
            put_number(out, machine, name)


def take_meta(reader: Reader) -> dict[str, Any]:
    """The inverse of put_meta; `slow` holds the terms without their columns."""
    frame: dict[str, Any] = {}
    base = _take_base(reader)
    if base is not None:
        frame["base"] = base
    rule = reader.take()
    if rule:
        frame["in_flight_rule"] = _rule_named(rule)
    terms = reader.take()
    if terms > MAX_TERMS + 1:
        raise ValueError(f"{terms - 1} terms in one frame, at most {MAX_TERMS} are allowed")
    if terms:
        frame["slow"] = [_take_term(reader) for _ in range(terms - 1)]
    for name in names.HISTOGRAMS:
        histogram = _take_histogram(reader)
        if histogram is not None:
            frame[name] = histogram
    present = reader.take()
    if present > 1:
        raise ValueError(f"machine flag must be 0 or 1, not {present}")
    if present:
        machine: dict[str, Any] = {}
        for name in names.MACHINE_FIELDS:
            take_number(reader, machine, name)
        frame["machine"] = machine
    return frame


def put_number(out: bytearray, holder: dict[str, Any], name: str) -> None:
    """One optional number: absent, null, whole, in millionths if that is exact, else a double."""
    if name not in holder:
        put(out, ABSENT)
        return
    value = holder[name]
    if value is None:
        put(out, NULL)
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1 << 53:
        raise ValueError(f"{name} must be a number from 0 to below 2^53, not {value!r}")
    if value == int(value):
        put(out, WHOLE)
        put(out, int(value))
        return
    millionths = round(value * _MILLION)
    if millionths / _MILLION == value:
        put(out, MILLIONTHS)
        put(out, millionths)
        return
    put(out, DOUBLE)
    out += struct.pack("<d", value)


def take_number(reader: Reader, holder: dict[str, Any], name: str) -> None:
    """The inverse of put_number; an absent one leaves `holder` alone."""
    kind = reader.take()
    if kind == ABSENT:
        return
    if kind == NULL:
        holder[name] = None
    elif kind == WHOLE:
        holder[name] = _below_limit(reader.take(), name)
    elif kind == MILLIONTHS:
        millionths = reader.take()
        if millionths % _MILLION == 0 or round(millionths / _MILLION * _MILLION) != millionths:
            raise ValueError(f"{name} of {millionths} millionths is no such fraction")
        holder[name] = _below_limit(millionths, name) / _MILLION
    elif kind == DOUBLE:
        value = struct.unpack("<d", reader.raw(8))[0]
        if not 0 <= value < 1 << 53:  # refuses NaN and infinities too
            raise ValueError(f"{name} must be a number from 0 to below 2^53, not {value!r}")
        if round(value * _MILLION) / _MILLION == value:
            raise ValueError(f"{name} of {value!r} needs no double")
        holder[name] = value
    else:
        raise ValueError(f"{name} has the unknown number kind {kind}")


def _put_base(out: bytearray, base: dict[str, Any] | None) -> None:
    """Mask of fields that are there, mask of fields that are null, then the values."""
    if base is None:
        put(out, 0)
        put(out, 0)
        return
    _refuse_unknown(base, names.BASE_FIELDS, "base")
    known = null = 0
    for bit, name in enumerate(names.BASE_FIELDS):
        if name in base:
            known |= 1 << bit
            null |= (base[name] is None) << bit
    put(out, known << 1 | 1)
    put(out, null)
    for name in names.BASE_FIELDS:
        if base.get(name) is not None:
            put(out, _below_limit(base[name], name))


def _take_base(reader: Reader) -> dict[str, int | None] | None:
    mask, null = reader.take(), reader.take()
    known = mask >> 1
    if known >> len(names.BASE_FIELDS) or null & ~known or (known and not mask & 1):
        raise ValueError(f"base has impossible field masks {mask} and {null}")
    if not mask:
        return None
    return {
        name: None if null >> bit & 1 else _below_limit(reader.take(), name)
        for bit, name in enumerate(names.BASE_FIELDS)
        if known >> bit & 1
    }


def _put_histogram(out: bytearray, histogram: list[list[int]] | None) -> None:
    """Number of pairs + 1 (0: absent), then bucket distances and counts in rising order of bucket."""
    put(out, 0 if histogram is None else len(histogram) + 1)
    last = -2
    for bucket, count in sorted(histogram or ()):
        if bucket <= last or bucket > 280:
            raise ValueError(f"histogram bucket {bucket} is out of range or there twice")
        put(out, bucket - last)
        put(out, _below_limit(count, "a histogram's count"))
        last = bucket


def _take_histogram(reader: Reader) -> list[list[int]] | None:
    pairs = reader.take()
    if pairs == 0:
        return None
    if pairs > 283:
        raise ValueError(f"a histogram has at most 282 buckets, not {pairs - 1}")
    last = -2
    histogram = []
    for _ in range(pairs - 1):
        distance = reader.take()
        last += distance
        if distance == 0 or last > 280:
            raise ValueError(f"histogram bucket {last} is out of range or there twice")
        histogram.append([last, _below_limit(reader.take(), "a histogram's count")])
    return histogram


def _take_term(reader: Reader) -> dict[str, Any]:
    term: dict[str, Any] = {"term": _below_limit(reader.take(), "term")}
    for name in names.TERM_SCALARS:
        take_number(reader, term, name)
    return term


def _below_limit(value: int, name: str) -> int:
    if not 0 <= value < 1 << 53:
        raise ValueError(f"{name} must be a whole number from 0 to below 2^53, not {value!r}")
    return value


def _rule_named(number: int) -> str:
    for name, value in names.RULES.items():
        if value == number:
            return name
    raise ValueError(f"unknown in_flight_rule {number}")


def _refuse_unknown(holder: dict[str, Any], known: tuple[str, ...], what: str) -> None:
    for name in holder:
        if name not in known:
            raise ValueError(f"{what} has the unknown field {name!r}")
