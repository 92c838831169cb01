"""Are the figures of these packed bodies sound? Opened, checked like any other, and kept byte for byte."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache

from plimsoll_agent.core.layout import LayoutError
from sla.telemetry.check import Form, check, in_order
from sla.telemetry.columns import Opened, all_known, named, open_bodies, open_columns, stack_raw
from sla.telemetry.meta_columns import FEW
from sla.telemetry.refusal import BAD_SHAPE, Refusal
from sla.telemetry.wire import PackedFrame

REQUIRED = ("read_ios", "write_ios", "read_ms", "write_ms")
TERM_REQUIRED = ("read_lo", "read_hi", "read_est", "write_lo", "write_hi", "write_est")


def packed_bodies(frames: Mapping[int, PackedFrame]) -> tuple[dict[int, bytes], dict[int, Refusal]]:
    """By index: the bytes as they came, or why not."""
    refused: dict[int, Refusal] = {}
    groups: dict[object, list[tuple[int, Opened]]] = defaultdict(list)
    sent = [frame.body for frame in frames.values()]
    answers = open_bodies(sent) if len(sent) <= FEW else open_columns(sent)[0]
    for (index, frame), opened in zip(frames.items(), answers, strict=True):
        if isinstance(opened, LayoutError):
            refused[index] = Refusal(BAD_SHAPE, str(opened))
        elif opened.n != frame.n:
            refused[index] = Refusal(BAD_SHAPE, f"the body has {opened.n} steps, n is {frame.n}")
        else:
            groups[opened.form].append((index, opened))
    for members in groups.values():
        try:
            form = _complete(*members[0][1].form)
            wrong = _wrong(form, [opened for _, opened in members])
        except LayoutError as error:
            refused |= {index: Refusal(BAD_SHAPE, str(error)) for index, _ in members}
        else:
            refused |= {members[place][0]: refusal for place, refusal in wrong.items()}
    return {index: frame.body for index, frame in frames.items() if index not in refused}, refused


def _wrong(form: Form, frames: Sequence[Opened]) -> dict[int, Refusal]:
    """By place, what is wrong with frames of one form. What is not compared with anything is not even put together."""
    if all_known(frames):
        compared = stack_raw(frames, form.rules.compared)
        if in_order(form.compared, compared):
            return {}
    return check(form, stack_raw(frames))


@lru_cache(maxsize=512)
def _complete(n: int, narrow: tuple[int, ...], wide: tuple[int, ...], terms: tuple[int, ...]) -> Form:
    """The form of these columns. LayoutError where one has no meaning, or one that is needed is not there."""
    form = named(n, narrow, wide, terms)
    missing = [name for name in REQUIRED if (name, None) not in form.columns]
    missing += [
        f"{name} of term {term}" for term in terms for name in TERM_REQUIRED if (name, term) not in form.columns
    ]
    if missing:
        raise LayoutError(f"the body lacks {', '.join(missing)}")
    return form
