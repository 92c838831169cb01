"""What of a JSON frame is not columns, as bytes of the stored layout? The twin of the core's `put_meta`, for many."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from plimsoll_agent.core import layout_meta
from plimsoll_agent.core import layout_names as names
from sla.telemetry import numbers
from sla.telemetry.refusal import BAD_SHAPE, BAD_VALUE, Refusal, shown
from sla.telemetry.wire import JsonFrame

MAX_VALUE = 2**53 - 1
LAST_BUCKET = 280
MILLION = 1_000_000


class _RawDouble(Exception):
    """A figure that is neither whole nor exact in millionths: the reference writer takes it."""


def write_metas(frames: Sequence[JsonFrame]) -> list[bytes | Refusal]:
    """One section a frame, in order, or why the frame is refused."""
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


def _row(frame: JsonFrame) -> list[int]:
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
        row.append(_whole("term", slow.term))
        for name in names.TERM_SCALARS:
            row += _number(name, getattr(slow, name))
    for name in names.HISTOGRAMS:
        row += _histogram(name, getattr(frame, name))
    if frame.machine is None:
        row.append(0)
    else:
        row.append(1)
        for name in names.MACHINE_FIELDS:
            row += _number(name, frame.machine.get(name))
    return row


def _whole(name: str, value: Any) -> int:
    if not 0 <= value <= MAX_VALUE:
        raise Refusal(BAD_VALUE, f"{name} is {shown(value)}: it must lie in 0 … 2^53")
    return int(value)


def _base(base: dict[str, int | None]) -> list[int]:
    known = null = 0
    values = []
    for bit, name in enumerate(names.BASE_FIELDS):
        if name in base:
            known |= 1 << bit
            value = base[name]
            if value is None:
                null |= 1 << bit
            else:
                values.append(_whole(f"base.{name}", value))
    return [known << 1 | 1, null, *values]


def _number(name: str, value: Any) -> tuple[int, ...]:
    if value is None:
        return (layout_meta.ABSENT,)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_VALUE:
        raise Refusal(BAD_VALUE, f"{name} is {shown(value)}: it must be a number in 0 … 2^53")
    if value == int(value):
        return layout_meta.WHOLE, int(value)
    millionths = round(value * MILLION)
    if millionths / MILLION == value:
        return layout_meta.MILLIONTHS, millionths
    raise _RawDouble


def _histogram(name: str, pairs: list[tuple[int, int]] | None) -> list[int]:
    if pairs is None:
        return [0]
    if not pairs:
        return [1]
    buckets, counts = zip(*sorted(pairs), strict=True)
    distances = [bucket - before for before, bucket in pairwise((-2, *buckets))]
    if min(distances) <= 0 or buckets[-1] > LAST_BUCKET:
        wrong = next(b for b, d in zip(buckets, distances, strict=True) if d <= 0 or b > LAST_BUCKET)
        raise Refusal(BAD_VALUE, f"{name} has bucket {shown(wrong)}, out of -1 … {LAST_BUCKET} or there twice")
    if min(counts) < 0 or max(counts) > MAX_VALUE:
        wrong = next(c for c in counts if not 0 <= c <= MAX_VALUE)
        raise Refusal(BAD_VALUE, f"{name} has the count {shown(wrong)}: it must lie in 0 … 2^53")
    row = [len(pairs) + 1] + [0] * (2 * len(pairs))
    row[1::2], row[2::2] = distances, counts
    return row


def _reference(frame: JsonFrame) -> bytes | Refusal:
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
