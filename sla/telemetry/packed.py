"""Are the figures of these packed bodies sound? Opened and checked, and kept byte for byte."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plimsoll_agent.core.layout import LayoutError
from sla.telemetry.check import Form, check, rules
from sla.telemetry.columns import Opened, named, opened_as, read_heads, stack_raw
from sla.telemetry.meta import Meta, read_metas
from sla.telemetry.refusal import BAD_SHAPE, Refusal
from sla.telemetry.sound_metas import terms_of_many
from sla.telemetry.wire import PackedFrame

REQUIRED = ("read_ios", "write_ios", "read_ms", "write_ms")
TERM_REQUIRED = ("read_lo", "read_hi", "read_est", "write_lo", "write_hi", "write_est")
WIDTH = 4  # bytes of a narrow figure
SIGN = 0x80  # in the highest byte: negative, or unknown
Indexes = NDArray[np.intp]


class Places(NamedTuple):
    """Which columns of a form the rules compare, and where among these stand the lower and the upper ones, those of
    covered and of completed I/Os."""

    ruled: Indexes
    low: Indexes
    high: Indexes
    covered: Indexes
    completed: Indexes


def packed_bodies(frames: Mapping[int, PackedFrame]) -> tuple[dict[int, bytes], dict[int, Refusal]]:
    """By index: the bytes as they came, or why not."""
    refused: dict[int, Refusal] = {}
    groups: dict[object, list[tuple[int, Opened]]] = defaultdict(list)
    for index, opened in zip(frames, open_bodies([frame.body for frame in frames.values()]), strict=True):
        if isinstance(opened, LayoutError):
            refused[index] = Refusal(BAD_SHAPE, str(opened))
        elif opened.n != frames[index].n:
            refused[index] = Refusal(BAD_SHAPE, f"the body has {opened.n} steps, n is {frames[index].n}")
        else:
            groups[opened.form].append((index, opened))
    for members in groups.values():
        try:
            form = named(members[0][1])
            if missing := _missing(form, members[0][1].meta.terms):
                raise LayoutError(f"the body lacks {', '.join(missing)}")
            bodies = [opened for _, opened in members]
            wrong = {} if _plainly_sound(form, bodies) else check(form, stack_raw(bodies))
        except LayoutError as error:
            refused |= {index: Refusal(BAD_SHAPE, str(error)) for index, _ in members}
        else:
            refused |= {members[place][0]: refusal for place, refusal in wrong.items()}
    return {index: frame.body for index, frame in frames.items() if index not in refused}, refused


def open_bodies(bodies: Sequence[bytes]) -> list[Opened | LayoutError]:
    """One answer a body, in order. Their meta sections were looked through; of these, an answer has the terms only."""
    heads = read_heads(bodies)
    sections = [head[1].meta for head in heads if not isinstance(head, LayoutError)]
    found = iter(zip(sections, terms_of_many(sections), strict=True))
    return [head if isinstance(head, LayoutError) else opened_as(*head, _meta(*next(found))) for head in heads]


def _meta(section: bytes, terms: tuple[int, ...] | None) -> Meta | LayoutError:
    return read_metas([section])[0] if terms is None else _only_terms(terms)


@lru_cache(maxsize=4096)
def _only_terms(terms: tuple[int, ...]) -> Meta:
    return Meta({}, None, terms, (), [], [])


@lru_cache(maxsize=512)
def _missing(form: Form, terms: tuple[int, ...]) -> list[str]:
    """The columns that a frame cannot do without."""
    missing = [name for name in REQUIRED if (name, None) not in form.columns]
    return missing + [
        f"{name} of term {term}" for term in terms for name in TERM_REQUIRED if (name, term) not in form.columns
    ]


def _plainly_sound(form: Form, frames: Sequence[Opened]) -> bool:
    """Is every figure known, is every count that a rule compares below 65,536, and are they in order? So it is of
    nearly every disk, and seen in a quarter of the bytes; False where it takes a closer look."""
    first = frames[0]
    if first.wide:
        return False
    if len(frames) == 1:
        data = np.frombuffer(first.data, np.uint8, offset=first.at)
    else:
        data = np.frombuffer(b"".join([memoryview(frame.data)[frame.at :] for frame in frames]), np.uint8)
    planes = data.reshape(len(frames), WIDTH, len(form.columns), form.n)
    if planes[:, 3].max() >= SIGN:
        return False
    places = _places(form)
    counts = planes.take(places.ruled, 2)
    if counts[:, 2:].any():
        return False
    figures = counts[:, 1].astype("<u2")
    figures <<= 8
    figures |= counts[:, 0]
    if places.low.size and (figures.take(places.low, 1) > figures.take(places.high, 1)).any():
        return False
    if not places.covered.size:
        return True
    most = figures.take(places.completed, 1).sum(1, dtype=np.uint32, keepdims=True)
    return not (figures.take(places.covered, 1) > most).any()


@lru_cache(maxsize=512)
def _places(form: Form) -> Places:
    between = rules(form)
    completed = [form.columns.index((name, None)) for name in ("read_ios", "write_ios")]
    parts = (between.low, between.high, [column for column, _ in between.covered], completed)
    ruled = sorted({column for part in parts for column in part})
    return Places(np.array(ruled), *(np.array([ruled.index(column) for column in part], np.intp) for part in parts))
