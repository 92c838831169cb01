"""Are the figures of these JSON frames sound, and in which bytes are they kept?

The arrays of all frames of one form become one array, are checked together and packed into the stored layout, whether
they were read quickly or frame by frame. (Packed frames: packed.py.)
"""

from array import array
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from zlib_ng import zlib_ng

from plimsoll_agent.core import layout_names as names
from plimsoll_agent.core.varint import put
from sla.telemetry.check import MAX_NARROW, NULL, NULL32, Column, Form, Matrix, check
from sla.telemetry.meta_json import write_metas
from sla.telemetry.quick import FRAME_COLUMNS, TERM_COLUMNS, Columns
from sla.telemetry.refusal import BAD_SHAPE, BAD_VALUE, Refusal
from sla.telemetry.wire import JsonFrame

# zlib-ng's level 1 takes an eighth of the CPU of its level 6, and half of ISA-L's level 1, for 12 and 6 % more bytes.
LEVEL = 1
Bodies = dict[int, bytes]
Refusals = dict[int, Refusal]
# (index, figures one column after the other, how many are unknown)
_Flat = tuple[int, "array[int]", int]


def json_bodies(frames: Mapping[int, JsonFrame]) -> tuple[Bodies, Refusals]:
    """By index: the bytes to keep, or why not."""
    refused: Refusals = {}
    groups: dict[tuple[Form, tuple[int, ...]], list[_Flat]] = defaultdict(list)
    for index, frame in frames.items():
        try:
            form, numbers, figures, nulls = _flat(frame)
        except Refusal as refusal:
            refused[index] = refusal
        else:
            groups[form, numbers].append((index, figures, nulls))
    metas = _metas(frames, refused)
    bodies: Bodies = {}
    for (form, numbers), members in groups.items():
        flat = b"".join(figures.tobytes() for _, figures, _ in members)
        matrix = np.frombuffer(flat, np.int64).reshape(len(members), len(form.columns), form.n)
        # The number that stands for "unknown" here is no number that a frame may hold.
        told = (matrix == NULL).sum(axis=(1, 2))
        for (index, _, nulls), found in zip(members, told.tolist(), strict=True):
            if found != nulls:
                refused.setdefault(index, Refusal(BAD_VALUE, f"a value is {NULL}: it is negative"))
        indexes = [index for index, _, _ in members]
        bodies |= _bodies_of_form(form, numbers, indexes, matrix, metas, refused)
    return bodies, refused


def quick_bodies(columns: Sequence[Columns], frames: Mapping[int, Any]) -> tuple[Bodies, Refusals]:
    """The same for frames whose figures, `columns[index]`, were read at once."""
    refused: Refusals = {}
    groups: dict[tuple[Form, tuple[int, ...], str], list[int]] = defaultdict(list)
    for index in frames:
        form, numbers, figures = columns[index]
        groups[form, numbers, figures.dtype.str].append(index)
    metas = _metas(frames, refused)
    bodies: Bodies = {}
    for (form, numbers, _), indexes in groups.items():
        matrix = np.stack([columns[index].figures for index in indexes])
        bodies |= _bodies_of_form(form, numbers, indexes, matrix, metas, refused)
    return bodies, refused


def _metas(frames: Mapping[int, Any], refused: Refusals) -> dict[int, bytes]:
    """The meta sections by index; frames that have none join the refused."""
    metas: dict[int, bytes] = {}
    for index, section in zip(frames, write_metas(list(frames.values())), strict=True):
        if isinstance(section, Refusal):
            refused.setdefault(index, section)
        else:
            metas[index] = section
    return metas


def _bodies_of_form(
    form: Form,
    numbers: tuple[int, ...],
    indexes: list[int],
    figures: Matrix,
    metas: dict[int, bytes],
    refused: Refusals,
) -> Bodies:
    """Check frames of one form together and pack the sound ones; the others join `refused`."""
    for place, refusal in check(form, figures).items():
        refused.setdefault(indexes[place], refusal)
    planes = None
    if figures.dtype.itemsize == 4:
        planes = _planes(figures, 4)
    else:
        unknown = figures == NULL
        if figures.max(initial=0) <= MAX_NARROW:
            planes = _planes(np.where(unknown, NULL32, figures).astype("<i4"), 4)
    bodies: Bodies = {}
    for place, index in enumerate(indexes):
        if index not in refused:
            if planes is not None:
                body = _compose(form.n, metas[index], numbers, (), planes[place])
            else:
                body = _mixed(form.n, metas[index], numbers, figures[place], unknown[place])
            bodies[index] = zlib_ng.compress(body, LEVEL)
    return bodies


def _flat(frame: JsonFrame) -> tuple[Form, tuple[int, ...], "array[int]", int]:
    """(form, column numbers, all figures one column after the other, how many are unknown)."""
    columns: list[Column] = []
    numbers: list[int] = []
    figures: list[int | None] = []
    n = frame.n
    for name, number in FRAME_COLUMNS:
        values = getattr(frame, name)
        if values is not None:
            if len(values) != n:
                raise Refusal(BAD_SHAPE, f"{name} has {len(values)} values, n is {n}")
            columns.append((name, None))
            numbers.append(number)
            figures += values
    terms = [slow.term for slow in frame.slow]
    if len(set(terms)) != len(terms):
        raise Refusal(BAD_VALUE, f"slow names a term twice: {terms}")
    for place, slow in enumerate(frame.slow, start=1):
        for name, number in TERM_COLUMNS:
            values = getattr(slow, name)
            if values is not None:
                if len(values) != n:
                    raise Refusal(BAD_SHAPE, f"{name} of term {slow.term} has {len(values)} values, n is {n}")
                columns.append((name, slow.term))
                numbers.append(names.TERM_BASE * place + number)
                figures += values
    form = Form(tuple(columns), n)
    try:
        return form, tuple(numbers), array("q", figures), 0  # type: ignore[arg-type]  # None raises TypeError
    except TypeError:
        nulls = figures.count(None)
        figures = [NULL if value is None else value for value in figures]
    except OverflowError:
        nulls = figures.count(None)
    try:
        return form, tuple(numbers), array("q", figures), nulls  # type: ignore[arg-type]
    except OverflowError as error:
        worst = max((value for value in figures if value is not None), key=abs)
        raise Refusal(BAD_VALUE, f"{worst} is out of range: figures lie in 0 … 2^53") from error


def _planes(figures: np.ndarray, width: int) -> np.ndarray:
    """(frames, …) to (frames, width, values): all first bytes, then all second bytes …"""
    flat = figures.reshape(len(figures), -1)
    planes = np.zeros((len(flat), width, flat.shape[1]), np.uint8)
    planes[:, 0] = flat  # numpy keeps the low byte
    for place in range(1, width):
        upper = flat >> (8 * place)
        if upper.any():
            planes[:, place] = upper
    return planes


def _compose(
    n: int, meta: bytes, narrow: tuple[int, ...], wide: tuple[int, ...], planes: bytes | NDArray[np.uint8]
) -> bytes:
    """The canonical bytes of a frame, as in the core's `pack`."""
    return b"".join((_opening(n, len(meta)), meta, _column_list(narrow, wide), planes))


@lru_cache(maxsize=2048)
def _opening(n: int, meta_length: int) -> bytes:
    out = bytearray()
    for number in (names.VERSION, n, meta_length):
        put(out, number)
    return bytes(out)


@lru_cache(maxsize=512)
def _column_list(narrow: tuple[int, ...], wide: tuple[int, ...]) -> bytes:
    out = bytearray()
    for numbers in (narrow, wide):
        put(out, len(numbers))
        for number in numbers:
            put(out, number)
    return bytes(out)


def _mixed(n: int, meta: bytes, numbers: tuple[int, ...], figures: np.ndarray, unknown: np.ndarray) -> bytes:
    """A frame with columns that need 64 bits."""
    large = figures.max(axis=1) > MAX_NARROW
    narrow = np.where(unknown[~large], NULL32, figures[~large]).astype("<i4")
    wide = figures[large].astype("<i8")
    planes = b"".join(
        _planes(group[None], width)[0].tobytes() for group, width in ((narrow, 4), (wide, 8)) if group.size
    )
    return _compose(
        n,
        meta,
        tuple(number for number, big in zip(numbers, large, strict=True) if not big),
        tuple(number for number, big in zip(numbers, large, strict=True) if big),
        planes,
    )
