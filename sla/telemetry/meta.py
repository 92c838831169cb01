"""What does a stored frame say besides its columns? The meta sections of many frames, read at once.

The section is a row of numbers of variable length (docs/frame-layout.md). numpy cuts all sections of a batch into
numbers; what they mean is then read frame by frame. A section with a raw double in it takes the reference reader.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from plimsoll_agent.core import layout_meta
from plimsoll_agent.core import layout_names as names
from plimsoll_agent.core.layout import LayoutError
from plimsoll_agent.core.varint import Reader
from sla.telemetry import numbers

RULES = {0: None, **{number: rule for rule, number in names.RULES.items()}}
MAX_PAIRS = 282
LAST_BUCKET = 280
MAX_VALUE = 2**53 - 1
SCALARS = len(names.TERM_SCALARS)
ALL_KNOWN = (1 << len(names.BASE_FIELDS)) - 1
POOL_START = names.TERM_SCALARS.index("pool_start")


class Meta(NamedTuple):
    """Base counters by name, the rule, the terms and their pools at the start, histograms as flat bucket, count, …"""

    base: dict[str, int | None]
    rule: str | None
    terms: tuple[int, ...]
    pool_starts: tuple[int, ...]
    read_hist: list[int]
    write_hist: list[int]


class _RawDouble(Exception):
    """This section needs the reference reader."""


def read_metas(sections: Sequence[bytes]) -> list[Meta | LayoutError]:
    """One answer a section, in order."""
    quick = [index for index, section in enumerate(sections) if section and section[-1] < 0x80]
    rows = dict(zip(quick, numbers.read([sections[index] for index in quick]), strict=True))
    answers: list[Meta | LayoutError] = []
    for index, section in enumerate(sections):
        try:
            try:
                answers.append(_meaning(rows[index]))
            except (KeyError, _RawDouble):
                answers.append(_reference(section))
        except (ValueError, IndexError) as error:
            answers.append(LayoutError(str(error) or "the meta section ends too early"))
    return answers


def _meaning(row: list[int]) -> Meta:
    """The fields of one section. ValueError with the offending value, IndexError where it ends too early."""
    if min(row) < 0:
        raise _RawDouble  # or a number spelt too long: the reference reader says which
    base, at = _base(row)
    rule, terms_there = row[at], max(row[at + 1] - 1, 0)
    if rule not in RULES:
        raise ValueError(f"unknown in_flight_rule {rule}")
    if terms_there > layout_meta.MAX_TERMS:
        raise ValueError(f"{terms_there} terms in one frame, at most {layout_meta.MAX_TERMS} are allowed")
    at += 2
    terms, pools = [], []
    for _ in range(terms_there):
        terms.append(row[at])
        at += 1
        for scalar in range(SCALARS):
            value, at = _scalar(row, at)
            if scalar == POOL_START:
                pools.append(value)
    read_hist, at = _histogram(row, at)
    write_hist, at = _histogram(row, at)
    if row[at] > 1:
        raise ValueError(f"machine flag must be 0 or 1, not {row[at]}")
    at += 1
    if row[at - 1]:
        for _ in names.MACHINE_FIELDS:
            _, at = _scalar(row, at)
    if at != len(row):
        raise ValueError(f"{len(row) - at} numbers follow the meta section's last field")
    return Meta(base, RULES[rule], tuple(terms), tuple(pools), read_hist, write_hist)


def _base(row: list[int]) -> tuple[dict[str, int | None], int]:
    mask, null = row[0], row[1]
    known = mask >> 1
    if known >> len(names.BASE_FIELDS) or null & ~known or (known and not mask & 1):
        raise ValueError(f"base has impossible field masks {mask} and {null}")
    if known == ALL_KNOWN and not null:
        at = 2 + len(names.BASE_FIELDS)
        return dict(zip(names.BASE_FIELDS, row[2:at], strict=True)), at
    base: dict[str, int | None] = {}
    at = 2
    for bit, name in enumerate(names.BASE_FIELDS):
        if known >> bit & 1:
            if null >> bit & 1:
                base[name] = None
            else:
                base[name] = row[at]
                at += 1
    return base, at


def _scalar(row: list[int], at: int) -> tuple[int, int]:
    """An optional number and what follows it; 0 where it is absent or null."""
    kind = row[at]
    if kind in (layout_meta.ABSENT, layout_meta.NULL):
        return 0, at + 1
    if kind in (layout_meta.WHOLE, layout_meta.MILLIONTHS):
        if row[at + 1] > MAX_VALUE:
            raise ValueError(f"{row[at + 1]} is not below 2^53")
        return row[at + 1], at + 2
    if kind == layout_meta.DOUBLE:
        raise _RawDouble
    raise ValueError(f"unknown number kind {kind}")


def _histogram(row: list[int], at: int) -> tuple[list[int], int]:
    """Flat bucket, count, bucket, count … and what follows."""
    pairs = row[at] - 1
    if pairs <= 0:
        return [], at + 1
    if pairs > MAX_PAIRS:
        raise ValueError(f"a histogram has at most {MAX_PAIRS} buckets, not {pairs}")
    flat = row[at + 1 : at + 1 + 2 * pairs]
    if len(flat) != 2 * pairs:
        raise IndexError
    distances = flat[::2]
    if 0 in distances or sum(distances) - 2 > LAST_BUCKET:
        raise ValueError(f"histogram buckets lie {distances} apart: one is out of range or there twice")
    flat[::2] = list(accumulate(distances, initial=-2))[1:]
    return flat, at + 1 + 2 * pairs


def _reference(section: bytes) -> Meta:
    reader = Reader(section)
    frame: dict[str, Any] = layout_meta.take_meta(reader)
    if reader.at != len(section):
        raise ValueError(f"{len(section) - reader.at} bytes follow the meta section's last field")
    terms = frame.get("slow") or []
    flat = {name: [figure for pair in frame.get(name) or [] for figure in pair] for name in names.HISTOGRAMS}
    return Meta(
        frame.get("base") or {},
        frame.get("in_flight_rule"),
        tuple(term["term"] for term in terms),
        tuple(int(term.get("pool_start") or 0) for term in terms),
        flat["read_hist"],
        flat["write_hist"],
    )
