"""Is there nothing odd in a JSON upload? Then all its arrays are read at once, with no Python object a number.

msgspec decodes everything but the arrays, which it leaves as text; simdjson reads the text of all of them together.
Where anything is not as it should be (a type, a length, a number, a frame), the answer is None, and the upload is
read frame by frame instead, which finds out what is wrong. What is accepted here is accepted there, with the same
figures; of a name that stands twice in an object both take the last value, and only the other way looks at the first.
"""

import threading
from collections.abc import Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec
import numpy as np
import simdjson

from plimsoll_agent.core import layout_names as names
from plimsoll_agent.core.layout import MAX_STEPS
from sla.telemetry.check import MAX_NARROW, MAX_VALUE, NULL, NULL32, Form, Matrix
from sla.telemetry.wire import AgentWords, Ints, JsonFrame, Key, Slow

FRAME_COLUMNS = sorted(names.FRAME_COLUMNS.items(), key=lambda item: item[1])
TERM_COLUMNS = sorted(names.TERM_COLUMNS.items(), key=lambda item: item[1])
ARRAYS = (Ints, Ints | None)
OPENING, COMMA = b"[,"
NULL_TEXT = str(NULL).encode()


def _with_raw_arrays(model: type[msgspec.Struct], **instead: Any) -> list[tuple[str, Any, Any]]:
    """The model's own fields, arrays left as text."""
    fields: list[tuple[str, Any, Any]] = []
    for field in msgspec.structs.fields(model):
        if field.name in Key.__struct_fields__:
            continue
        kind = msgspec.Raw if field.type in ARRAYS else instead.get(field.name, field.type)
        default = msgspec.NODEFAULT if field.required else field.default
        if field.default_factory is not msgspec.NODEFAULT:
            default = msgspec.field(default_factory=field.default_factory)
        fields.append((field.name, kind, default))
    return fields


QuickSlow: Any = msgspec.defstruct("QuickSlow", _with_raw_arrays(Slow), kw_only=True)
QuickFrame: Any = msgspec.defstruct(
    "QuickFrame", _with_raw_arrays(JsonFrame, slow=list[QuickSlow]), bases=(Key,), kw_only=True
)


class _QuickRequest(msgspec.Struct):
    """A whole upload, decoded at one go."""

    frames: list[QuickFrame]
    agent: AgentWords = msgspec.field(default_factory=AgentWords)


class Columns(NamedTuple):
    """One frame's figures, (columns, n): 32 bits wide with NULL32 where unknown if all fit, else 64 with NULL."""

    form: Form
    numbers: tuple[int, ...]
    figures: Matrix


class Quick(NamedTuple):
    """An upload without anything odd: its frames, and the figures of each."""

    agent: AgentWords
    frames: list[Any]
    columns: list[Columns]


_decode = msgspec.json.Decoder(_QuickRequest).decode
_frame_arrays = attrgetter(*(name for name, _ in FRAME_COLUMNS))
_term_arrays = attrgetter(*(name for name, _ in TERM_COLUMNS))
_own = threading.local()  # a parser reads one text at a time


def read_quickly(body: bytes) -> Quick | None:
    """None where the upload must be looked at frame by frame."""
    try:
        sent = _decode(body)
        forms, texts = _texts(sent.frames)
        figures = _figures(forms, texts)
    except (ValueError, TypeError):  # msgspec's errors are ValueErrors too
        return None
    if figures is None:
        return None
    columns, at = [], 0
    for form, numbers in forms:
        end = at + len(numbers) * form.n
        columns.append(Columns(form, numbers, figures[at:end].reshape(len(numbers), form.n)))
        at = end
    return Quick(sent.agent, sent.frames, columns)


def _texts(frames: Sequence[Any]) -> tuple[list[tuple[Form, tuple[int, ...]]], list[bytes]]:
    """The form of each frame with its columns' numbers, and the texts of all arrays in their order."""
    forms = []
    texts: list[msgspec.Raw] = []
    for frame in frames:
        arrays = list(_frame_arrays(frame))
        terms = []
        for slow in frame.slow:
            terms.append(slow.term)
            arrays += _term_arrays(slow)
        absent = tuple([place for place, array in enumerate(arrays) if array is None])
        forms.append(_form(frame.n, tuple(terms), absent))
        texts += [array for array in arrays if array is not None] if absent else arrays
    return forms, list(map(bytes, texts))


@lru_cache(maxsize=512)
def _form(n: int, terms: tuple[int, ...], absent: tuple[int, ...]) -> tuple[Form, tuple[int, ...]]:
    """The form of frames that lack the columns at these places. ValueError where a term is there twice."""
    if len(set(terms)) != len(terms):
        raise ValueError(f"a term is there twice: {terms}")
    columns: list[tuple[tuple[str, int | None], int]] = [((name, None), number) for name, number in FRAME_COLUMNS]
    for place, term in enumerate(terms, start=1):
        columns += [((name, term), names.TERM_BASE * place + number) for name, number in TERM_COLUMNS]
    there = [column for place, column in enumerate(columns) if place not in set(absent)]
    return Form(tuple(column for column, _ in there), n), tuple(number for _, number in there)


def _figures(forms: Sequence[tuple[Form, tuple[int, ...]]], texts: list[bytes]) -> Matrix | None:
    """All arrays' figures one after the other; None where one is no plain array of n whole numbers or nulls."""
    lengths = [form.n for form, numbers in forms for _ in numbers]
    joined = b"[" + b",".join(texts) + b"]"
    if not _plain(joined, texts, lengths):
        return None
    nulls = joined.count(b"null") if b"u" in joined else 0  # looking for one letter is fifty times faster
    if nulls:
        joined = joined.replace(b"null", NULL_TEXT)
    figures = np.frombuffer(_parser().parse(joined).as_buffer(of_type="i"), np.int64)
    if len(figures) != sum(lengths):
        return None
    most = int(figures.max(initial=0))
    if not nulls:
        if int(figures.min(initial=0)) < 0 or most > MAX_VALUE:
            return None
        return figures.astype("<i4") if most <= MAX_NARROW else figures
    unknown = figures == NULL
    # A number that is spelt like our own mark for "unknown" is no null.
    if int(np.count_nonzero(unknown)) != nulls or most > MAX_VALUE or int(figures[~unknown].min(initial=0)) < 0:
        return None
    return np.where(unknown, NULL32, figures).astype("<i4") if most <= MAX_NARROW else figures


def _plain(joined: bytes, texts: list[bytes], lengths: list[int]) -> bool:
    """Is each text an array that holds no other and has as many commas as so many numbers need?

    Commas are counted modulo 256: a text with 256 too many would show in the sum of all figures.
    """
    if not texts or max(lengths) > MAX_STEPS:
        return not texts
    letters = np.frombuffer(joined, np.uint8)
    sizes = np.fromiter(map(len, texts), np.intp, len(texts)) + 1
    starts = np.cumsum(sizes) - sizes + 1
    if (letters[starts] != OPENING).any() or np.count_nonzero(letters == OPENING) != len(texts) + 1:
        return False
    commas = np.add.reduceat((letters == COMMA).view(np.uint8), starts)
    commas[-1] += 1  # the others have the one that follows them
    return bool((commas == np.array(lengths)).all())


def _parser() -> simdjson.Parser:
    if not hasattr(_own, "parser"):
        _own.parser = simdjson.Parser()
    return _own.parser
