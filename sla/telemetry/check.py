"""Do a frame's figures make sense? Checked for many frames of one form at once, with numpy.

A `Form` is what frames must have in common to be checked together: their columns and their number of steps.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from sla.telemetry.refusal import BAD_VALUE, Refusal

# A column is (name, None) or, for the counts of a term, (name, term).
Column = tuple[str, int | None]
Matrix = NDArray[np.int64] | NDArray[np.int32]

# What stands for "unknown": the smallest number of the array's own width.
NULL = np.iinfo(np.int64).min
NULL32 = np.iinfo(np.int32).min
MAX_NARROW = 2**31 - 1  # what fits 32 bits
MAX_VALUE = 2**53 - 1
ORDERED = (("read_lo", "read_est"), ("read_est", "read_hi"), ("write_lo", "write_est"), ("write_est", "write_hi"))
EXCESS = ("excess_lo", "excess_hi")


@dataclass(frozen=True)
class Form:
    """The columns of a frame in their order, and its steps."""

    columns: tuple[Column, ...]
    n: int

    @cached_property
    def rules(self) -> "Rules":
        """What must hold between the columns."""
        return _rules(self)

    @cached_property
    def compared(self) -> "Form":
        """Only the columns that are held against another one."""
        return Form(tuple(self.columns[column] for column in self.rules.compared.tolist()), self.n)


@dataclass(frozen=True, slots=True)
class Rules:
    """At every step observed in both, column `low[k]` must hold no more than column `high[k]`; `why[k]` says so."""

    low: NDArray[np.intp]
    high: NDArray[np.intp]
    why: tuple[str, ...]
    covered: tuple[tuple[int, int], ...]  # the columns that say how many were covered, and their terms
    completed: tuple[int, int]  # the columns that say how many reads and writes were
    compared: NDArray[np.intp]  # all columns that are held against another one


@lru_cache(maxsize=512)
def _rules(form: Form) -> Rules:
    at = {column: index for index, column in enumerate(form.columns)}
    found: list[tuple[int, int, str]] = []
    for term in sorted({term for _, term in form.columns if term is not None}):
        for low, high in (*ORDERED, EXCESS):
            if (low, term) in at and (high, term) in at:
                found.append((at[low, term], at[high, term], f"{low} is over {high} of term {term}"))
        for direction in ("read", "write"):
            high = at[f"{direction}_hi", term]
            found.append((high, at[f"{direction}_ios", None], f"{direction}_hi of term {term} is over {direction}_ios"))
    covered = tuple((at[column], column[1]) for column in form.columns if column[0] == "covered_est")
    lows, highs, why = zip(*found, strict=True) if found else ((), (), ())
    completed = at["read_ios", None], at["write_ios", None]
    compared = sorted({*lows, *highs, *completed, *(column for column, _ in covered)})
    low, high, all_of_them = (np.array(columns, np.intp) for columns in (lows, highs, compared))
    return Rules(low, high, why, covered, completed, all_of_them)


def check(form: Form, figures: Matrix) -> dict[int, Refusal]:
    """Which of the frames are wrong, and why; figures has the shape (frames, columns, n), NULL (32) where unknown."""
    if _plainly_sound(form, figures):
        return {}
    wrong: dict[int, Refusal] = {}
    null = NULL32 if figures.dtype.itemsize == 4 else NULL
    unknown = figures == null
    # One look at the whole batch first: nearly always everything is in range.
    if int(figures.max(initial=0)) > MAX_VALUE or int(np.where(unknown, 0, figures).min(initial=0)) < 0:
        out_of_range = ((figures < 0) & ~unknown) | (figures > MAX_VALUE)
        for frame in np.flatnonzero(out_of_range.any(axis=(1, 2))):
            column, step = np.argwhere(out_of_range[frame])[0]
            value = int(figures[frame, column, step])
            say = "is negative" if value < 0 else "is not below 2^53"
            wrong[int(frame)] = Refusal(BAD_VALUE, f"{_name(form, column)}[{step}] is {value}: it {say}")
    between = form.rules
    lows, highs = figures.take(between.low, axis=1), figures.take(between.high, axis=1)
    over = lows > highs
    if over.any():
        over &= ~unknown[:, between.high]
        for frame in np.flatnonzero(over.any(axis=(1, 2))):
            rule, step = np.argwhere(over[frame])[0]
            message = f"{between.why[rule]} at step {step}: {lows[frame, rule, step]} over {highs[frame, rule, step]}"
            wrong.setdefault(int(frame), Refusal(BAD_VALUE, message))
    if between.covered:
        wrong |= {k: v for k, v in _covered(form, figures, unknown, between.covered).items() if k not in wrong}
    return wrong


def _plainly_sound(form: Form, figures: Matrix) -> bool:
    """Is everything known, in range and in order? So it nearly always is, and that is seen in a few looks."""
    if int(figures.min(initial=0)) < 0 or (figures.dtype.itemsize == 8 and int(figures.max(initial=0)) > MAX_VALUE):
        return False
    return in_order(form, figures)


def in_order(form: Form, figures: Matrix) -> bool:
    """Of figures that are known and in range: does each column keep below the one that it must not exceed?"""
    between = form.rules
    if np.count_nonzero(figures.take(between.low, axis=1) > figures.take(between.high, axis=1)):
        return False
    if not between.covered:
        return True
    reads, writes = between.completed
    completed = np.add(figures[:, reads], figures[:, writes], dtype=np.int64)
    return not any(np.count_nonzero(figures[:, column] > completed) for column, _ in between.covered)


def _covered(
    form: Form, figures: Matrix, unknown: NDArray[np.bool_], covered: tuple[tuple[int, int], ...]
) -> dict[int, Refusal]:
    """No more can be covered than completed."""
    reads, writes = form.rules.completed
    known = ~(unknown[:, reads] | unknown[:, writes])
    completed = np.where(known, figures[:, reads].astype(np.int64) + figures[:, writes], MAX_VALUE)
    wrong = {}
    for column, term in covered:
        over = figures[:, column] > completed
        for frame in np.flatnonzero(over.any(axis=1)):
            step = int(np.flatnonzero(over[frame])[0])
            wrong[int(frame)] = Refusal(
                BAD_VALUE,
                f"covered_est of term {term} at step {step} is {figures[frame, column, step]}, "
                f"over the {completed[frame, step]} I/Os completed",
            )
    return wrong


def _name(form: Form, column: int) -> str:
    name, term = form.columns[column]
    return name if term is None else f"slow[term {term}].{name}"
