"""Which of many meta sections have nothing odd in them? Those built like the first one are seen together, with numpy.

Sections of one agent differ in their figures and in the length of their histograms, hardly ever in anything else.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plimsoll_agent.core import layout_meta
from plimsoll_agent.core import layout_names as names
from sla.telemetry import numbers
from sla.telemetry.meta import LAST_BUCKET, MAX_PAIRS, MAX_VALUE, SCALARS
from sla.telemetry.sound_meta import terms_of

Ints = NDArray[np.int64]
MAX_RULE = max(names.RULES.values())
FEW = 4  # up to so many are looked at one by one


class Build(NamedTuple):
    """Where a section's numbers say how it goes on, up to its histograms and, counted from its flag, in what is said of
    the machine; where the rule and the first histogram are, and the section's end, counted from the flag."""

    fixed: Ints
    rule: int
    histogram: int
    machine: Ints
    length: int
    terms: tuple[int, ...]


def terms_of_many(sections: Sequence[bytes]) -> list[tuple[int, ...] | None]:
    """`terms_of` each."""
    if len(sections) <= FEW or (terms := terms_of(sections[0])) is None:
        return [terms_of(section) for section in sections]
    if not all(section and section[-1] < 0x80 for section in sections):
        return [terms_of(section) for section in sections]
    values, borders = numbers.flat(sections)
    alike = _alike(values, borders, _build(values[: borders[1]].tolist(), terms)).tolist()
    return [terms if one else terms_of(section) for one, section in zip(alike, sections, strict=True)]


def _build(row: list[int], terms: tuple[int, ...]) -> Build:
    """How a section that is sound is built."""
    at = 2 + ((row[0] >> 1) & ~row[1]).bit_count()
    fixed, rule = [0, 1, at + 1], at
    at += 2
    for _ in terms:
        fixed.append(at)
        kinds, at = _scalars(row, at + 1, SCALARS)
        fixed += kinds
    histogram = at
    for _ in names.HISTOGRAMS:
        at += 1 + 2 * max(row[at] - 1, 0)
    kinds, end = _scalars(row, at + 1, len(names.MACHINE_FIELDS)) if row[at] else ([], at + 1)
    machine = [place - at for place in (at, *kinds)]
    return Build(np.array(fixed), rule, histogram, np.array(machine), end - at, terms)


def _scalars(row: list[int], at: int, count: int) -> tuple[list[int], int]:
    """Where the kinds of so many optional numbers stand, and what follows them."""
    kinds = []
    for _ in range(count):
        kinds.append(at)
        at += 2 if row[at] in (layout_meta.WHOLE, layout_meta.MILLIONTHS) else 1
    return kinds, at


def _alike(values: Ints, borders: Ints, build: Build) -> NDArray[np.bool_]:
    """Which sections are sound, and built like the first."""
    begins, ends, last = borders[:-1], borders[1:], len(values) - 1
    good: NDArray[np.bool_] = np.minimum.reduceat(values, begins) >= 0
    good &= np.maximum.reduceat(values, begins) <= MAX_VALUE
    fixed = values[np.minimum(begins[:, None] + build.fixed, last)]
    good &= (fixed == fixed[0]).all(1) & (values[np.minimum(begins + build.rule, last)] <= MAX_RULE)
    at = begins + build.histogram
    # Sums over every second number, to add up the distances that stand between the counts; and how many are zero.
    sums, zeros = _every_second(values), _every_second((values == 0).astype(np.int64))
    for _ in names.HISTOGRAMS:
        good &= at < ends
        pairs = np.maximum(values[np.minimum(at, last)] - 1, 0)
        good &= pairs <= MAX_PAIRS
        before = np.minimum(at - 1, last)
        at = np.where(good, at + 1 + 2 * pairs, at)
        behind = np.minimum(at - 2, last)
        some = pairs > 0
        good &= ~some | ((sums[behind] - sums[before] <= LAST_BUCKET + 2) & (zeros[behind] == zeros[before]))
    good &= ends - at == build.length
    machine = values[np.minimum(at[:, None] + build.machine, last)]
    return good & (machine == machine[0]).all(1)


def _every_second(figures: Ints) -> Ints:
    """At each place, the sum of the figure there and of those two, four … places before it."""
    sums = np.empty_like(figures)
    for first in (0, 1):
        np.cumsum(figures[first::2], out=sums[first::2])
    return sums
