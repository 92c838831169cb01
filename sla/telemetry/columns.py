"""What is in these stored frames? Many bodies as numpy columns, equal to the reference reader of the agent's core.

`open_bodies` reads what is not columns; `stack` turns frames of one form into one array.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from zlib_ng import zlib_ng

from plimsoll_agent.core import layout_names as names
from plimsoll_agent.core.layout import MAX_INFLATED, LayoutError
from sla.telemetry.check import NULL, NULL32, Column, Form, Matrix
from sla.telemetry.heads import Head, head_of
from sla.telemetry.meta import Meta, read_metas
from sla.telemetry.meta_columns import MetaColumns, read_columns

UNREAD = LayoutError("not read")
FRAME_NAMES = {number: name for name, number in names.FRAME_COLUMNS.items()}
TERM_NAMES = {number: name for name, number in names.TERM_COLUMNS.items()}


class Opened(NamedTuple):
    """A frame whose meta section is read and whose columns still lie in `data` from `at` on."""

    n: int
    meta: Meta
    narrow: tuple[int, ...]
    wide: tuple[int, ...]
    data: bytes
    at: int

    @property
    def form(self) -> tuple[int, tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """What frames must share to be stacked."""
        return self.n, self.narrow, self.wide, self.meta.terms


def inflate(body: bytes) -> bytes:
    """The canonical bytes of a body. LayoutError on a bomb, a cut stream, or anything after its end."""
    stream = zlib_ng.decompressobj()
    try:
        data = stream.decompress(body, MAX_INFLATED)
    except zlib_ng.error as error:
        raise LayoutError(f"body does not inflate: {error}") from error
    if not stream.eof or stream.unused_data:
        raise LayoutError(
            f"body of {len(body)} bytes is cut off, over {MAX_INFLATED} bytes, or has bytes after its end"
        )
    return data


def open_bodies(bodies: Sequence[bytes]) -> list[Opened | LayoutError]:
    """One answer a body, in order."""
    heads: list[tuple[bytes, Head] | LayoutError] = []
    for body in bodies:
        try:
            data = inflate(body)
            heads.append((data, head_of(data)))
        except LayoutError as error:
            heads.append(error)
        except (ValueError, IndexError) as error:
            heads.append(LayoutError(str(error) or "body ends too early"))
    metas = iter(read_metas([head[1].meta for head in heads if not isinstance(head, LayoutError)]))
    return [head if isinstance(head, LayoutError) else _opened(*head, next(metas)) for head in heads]


def _opened(data: bytes, head: Head, meta: Meta | LayoutError) -> Opened | LayoutError:
    if isinstance(meta, LayoutError):
        return meta
    if head.terms > len(meta.terms):
        return LayoutError(f"columns of term {head.terms}, but the frame names {len(meta.terms)} terms")
    return Opened(head.n, meta, head.narrow, head.wide, data, head.at)


def open_columns(
    bodies: Sequence[bytes], *, histograms: bool = True
) -> tuple[list[Opened | LayoutError], list[int], MetaColumns]:
    """The same with what the meta sections say as columns: one answer a body, which of them can be read, and of
    these the columns. An answer's own meta holds its terms only."""
    answers: list[Opened | LayoutError] = []
    heads: list[tuple[int, bytes, Head]] = []
    for index, body in enumerate(bodies):
        try:
            data = inflate(body)
            heads.append((index, data, head_of(data)))
            answers.append(UNREAD)
        except LayoutError as error:
            answers.append(error)
        except (ValueError, IndexError) as error:
            answers.append(LayoutError(str(error) or "body ends too early"))
    columns = read_columns([head.meta for _, _, head in heads], histograms=histograms)
    metas = {terms: Meta({}, None, terms, (), [], []) for terms in set(columns.terms)}
    for place, (index, data, head) in enumerate(heads):
        answers[index] = _opened(data, head, columns.wrong.get(place) or metas[columns.terms[place]])
    good = [isinstance(answers[index], Opened) for index, _, _ in heads]
    if not all(good):
        columns = columns.take(np.flatnonzero(good))
    return answers, [index for (index, _, _), one in zip(heads, good, strict=True) if one], columns


@lru_cache(maxsize=512)
def named(n: int, narrow: tuple[int, ...], wide: tuple[int, ...], terms: tuple[int, ...]) -> Form:
    """`Opened.form` with the columns' names. LayoutError where a number has no meaning or a column is there twice."""
    columns: list[Column] = []
    for number in (*narrow, *wide):
        place, column = divmod(number, names.TERM_BASE)
        name = (TERM_NAMES if place else FRAME_NAMES).get(column)
        if name is None:
            raise LayoutError(f"column {number} is unknown")
        columns.append((name, terms[place - 1] if place else None))
    if len(set(columns)) != len(columns):
        raise LayoutError(f"a column or a term is there twice: {columns}")
    return Form(tuple(columns), n)


def stack(frames: Sequence[Opened]) -> Matrix:
    """The columns of frames of one form: (frames, columns, n), 64 bits wide, NULL where unknown."""
    raw = stack_raw(frames)
    if raw.dtype.itemsize == 8:
        return raw
    figures = raw.astype(np.int64)
    figures[raw == NULL32] = NULL
    return figures


def stack_raw(frames: Sequence[Opened], only: NDArray[np.intp] | None = None) -> Matrix:
    """The same as it is stored: 32 bits wide with NULL32 where no column of the form is wide.

    `only`: the places of the columns that are wanted, where none of the form is wide; all without it.
    """
    first = frames[0]
    narrow, wide, n = len(first.narrow), len(first.wide), first.n
    border = 4 * narrow * n
    if not wide and only is not None and len(frames) == 1:
        bytes_of = np.frombuffer(first.data, np.uint8, border, first.at).reshape(4, narrow, n).transpose(1, 2, 0)
        return bytes_of.take(only, axis=0).view("<i4").reshape(1, len(only), n)
    data = b"".join([frame.data[frame.at : frame.at + border] for frame in frames])
    if not wide and only is not None:
        planes = np.frombuffer(data, np.uint8).reshape(len(frames), 4, narrow, n)[:, :, only]
        return _joined(planes.reshape(len(frames), 4, -1), len(only), n, 4)
    small = _unshuffled(data, len(frames), narrow, n, 4)
    if not wide:
        return small
    data = b"".join([frame.data[frame.at + border :] for frame in frames])
    figures = np.concatenate([small.astype(np.int64), _unshuffled(data, len(frames), wide, n, 8)], axis=1)
    figures[:, :narrow][small == NULL32] = NULL
    return figures


def all_known(frames: Sequence[Opened]) -> bool:
    """Is every figure of frames of one form known and not negative? Of narrow columns only: False where one is wide."""
    first = frames[0]
    size = len(first.narrow) * first.n
    # The sign lies in the top byte, and the top bytes lie together.
    top = b"".join([frame.data[frame.at + 3 * size : frame.at + 4 * size] for frame in frames])
    return not first.wide and top.isascii()


def _unshuffled(data: bytes, frames: int, columns: int, n: int, width: int) -> np.ndarray:
    """First bytes first, then second bytes … back to little-endian integers."""
    return _joined(np.frombuffer(data, np.uint8).reshape(frames, width, columns * n), columns, n, width)


def _joined(planes: np.ndarray, columns: int, n: int, width: int) -> np.ndarray:
    """Planes of bytes, (frames, width, columns x n), as integers of (frames, columns, n)."""
    values = planes[:, 0].astype(f"<u{width}")
    # The upper bytes are nearly all zero: one look at all of them leaves most planes out.
    for place, most in enumerate(planes[:, 1:].max(axis=(0, 2), initial=0).tolist(), start=1):
        if most:
            values |= planes[:, place].astype(f"<u{width}") << (8 * place)
    return values.view(f"<i{width}").reshape(len(planes), columns, n)
