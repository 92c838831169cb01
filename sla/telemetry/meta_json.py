"""What of a JSON frame is not columns, as bytes of the stored layout? The twin of the core's `put_meta`, for many."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from operator import attrgetter, itemgetter, sub
from typing import Any

from plimsoll_agent.core import layout_meta
from plimsoll_agent.core import layout_names as names
from sla.telemetry import numbers
from sla.telemetry.refusal import BAD_SHAPE, BAD_VALUE, Refusal, shown

MAX_VALUE = 2**53 - 1
LAST_BUCKET = 280
MILLION = 1_000_000
_scalars = attrgetter(*names.TERM_SCALARS)


class _RawDouble(Exception):
    """A figure that is neither whole nor exact in millionths: the reference writer takes it."""


def write_metas(frames: Sequence[Any]) -> list[bytes | Refusal]:
    """One section a frame (JsonFrame or QuickFrame), in order, or why the frame is refused."""
    rows: dict[int, list[int]] = {}
    answers: list[bytes | Refusal] = [b""] * len(frames)
    for index, frame in enumerate(frames):
        try:
            rows[index] = _row(frame)
        except _RawDouble:
            answers[index] = _reference(frame)
        except Refusal as refusal:
            answers[index] = refusal
    for index, section in zip(rows, numbers.write(list(rows.values())), strict=True):
        answers[index] = section
    return answers


def _row(frame: Any) -> list[int]:
    row = _base(frame.base)
    if frame.in_flight_rule is None:
        row.append(0)
    elif frame.in_flight_rule in names.RULES:
        row.append(names.RULES[frame.in_flight_rule])
    else:
        raise Refusal(BAD_VALUE, f"in_flight_rule is {shown(frame.in_flight_rule)}: it must be accounted or driver")
    if len(frame.slow) > layout_meta.MAX_TERMS:
        raise Refusal(BAD_SHAPE, f"slow has {len(frame.slow)} terms, at most {layout_meta.MAX_TERMS} are allowed")
    row.append(len(frame.slow) + 1)
    for slow in frame.slow:
        row += _term(slow.term, *_scalars(slow))
    row += _histogram("read_hist", frame.read_hist)
    row += _histogram("write_hist", frame.write_hist)
    if frame.machine is None:
        row.append(0)
    else:
        row.append(1)
        for name in names.MACHINE_FIELDS:
            row += _number(name, frame.machine.get(name))
    return row


@lru_cache(maxsize=4096)
def _term(term: int, *scalars: Any) -> list[int]:
    """A contract's figures are the same in every frame."""
    row = [_whole("term", term)]
    for name, value in zip(names.TERM_SCALARS, scalars, strict=True):
        row += _number(name, value)
    return row


def _whole(name: str, value: Any) -> int:
    if not 0 <= value <= MAX_VALUE:
        raise Refusal(BAD_VALUE, f"{name} is {shown(value)}: it must lie in 0 … 2^53")
    return int(value)


def _base(base: dict[str, int | None]) -> list[int]:
    """Masks of the fields that are there and of those that are null, then the values."""
    known, take = _base_form(tuple(base))
    values = take(base)
    null = 0
    if None in values:
        there = [bit for bit in range(len(names.BASE_FIELDS)) if known >> bit & 1]
        null = sum(1 << bit for bit, value in zip(there, values, strict=True) if value is None)
        values = tuple(value for value in values if value is not None)
    if values and (min(values) < 0 or max(values) > MAX_VALUE):
        for name in names.BASE_FIELDS:
            if base.get(name) is not None:
                _whole(f"base.{name}", base[name])
    return [known << 1 | 1, null, *values]


@lru_cache(maxsize=64)
def _base_form(given: tuple[str, ...]) -> tuple[int, Callable[[dict[str, int | None]], tuple[Any, ...]]]:
    """Which of the fields are there, as a mask, and how their values are had in order."""
    there = [name for name in names.BASE_FIELDS if name in given]
    known = sum(1 << bit for bit, name in enumerate(names.BASE_FIELDS) if name in given)
    if len(there) > 1:  # itemgetter of one name answers no tuple
        return known, itemgetter(*there)
    return known, lambda base: tuple(base[name] for name in there)


def _number(name: str, value: Any) -> tuple[int, ...]:
    if value is None:
        return (layout_meta.ABSENT,)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_VALUE:
        raise Refusal(BAD_VALUE, f"{name} is {shown(value)}: it must be a number in 0 … 2^53")
    whole = int(value)
    if value == whole:
        return layout_meta.WHOLE, whole
    millionths = round(value * MILLION)
    if millionths / MILLION == value:
        return layout_meta.MILLIONTHS, millionths
    raise _RawDouble


def _histogram(name: str, pairs: list[tuple[int, int]] | None) -> list[int]:
    if pairs is None:
        return [0]
    if not pairs:
        return [1]
    flat = list(chain.from_iterable(pairs))
    distances = list(map(sub, flat[::2], (-2, *flat[:-2:2])))
    if min(distances) <= 0:
        flat = list(chain.from_iterable(sorted(pairs)))
        distances = list(map(sub, flat[::2], (-2, *flat[:-2:2])))
    if min(distances) <= 0 or flat[-2] > LAST_BUCKET:
        wrong = next(b for b, d in zip(flat[::2], distances, strict=True) if d <= 0 or b > LAST_BUCKET)
        raise Refusal(BAD_VALUE, f"{name} has bucket {shown(wrong)}, out of -1 … {LAST_BUCKET} or there twice")
    counts = flat[1::2]
    if min(counts) < 0 or max(counts) > MAX_VALUE:
        wrong = next(c for c in counts if not 0 <= c <= MAX_VALUE)
        raise Refusal(BAD_VALUE, f"{name} has the count {shown(wrong)}: it must lie in 0 … 2^53")
    flat[::2] = distances
    return [len(pairs) + 1, *flat]


def _reference(frame: Any) -> bytes | Refusal:
    machine = {name: frame.machine.get(name) for name in names.MACHINE_FIELDS} if frame.machine else frame.machine
    whole: dict[str, Any] = {
        "base": {name: frame.base[name] for name in names.BASE_FIELDS if name in frame.base},
        "in_flight_rule": frame.in_flight_rule,
        "slow": [{name: getattr(slow, name) for name in ("term", *names.TERM_SCALARS)} for slow in frame.slow],
        "read_hist": frame.read_hist,
        "write_hist": frame.write_hist,
        "machine": machine,
    }
    for holder in (*whole["slow"], *([machine] if machine else [])):
        for name in [name for name, value in holder.items() if value is None]:
            del holder[name]
    out = bytearray()
    try:
        layout_meta.put_meta(out, whole)
    except (ValueError, OverflowError) as error:
        return Refusal(BAD_VALUE, str(error))
    return bytes(out)
