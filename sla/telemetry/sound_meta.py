"""Is there nothing odd in a meta section (docs/frame-layout.md)? Then regular expressions see it at a glance.

An upload needs to know that the section can be read and which terms it names, no more. Numbers of over 49 bits, raw
doubles, more than two terms: rare, and left to the reader that says what is wrong.
"""

import re
from functools import lru_cache

from plimsoll_agent.core import layout_names as names
from plimsoll_agent.core.varint import Reader
from sla.telemetry.meta import LAST_BUCKET, MAX_PAIRS, SCALARS

NUMBER = rb"(?:[\x00-\x7f]|[\x80-\xff]{1,6}[\x01-\x7f])"
OPTIONAL = rb"(?:[\x00\x01]|[\x02\x03]" + NUMBER + rb")"
TERM = rb"(" + NUMBER + rb")" + OPTIONAL * SCALARS
TERMS = rb"(?:[\x00\x01]|\x02" + TERM + rb"|\x03" + TERM * 2 + rb")"
DISTANCE = rb"(?:[\x01-\x7f]|[\x80-\xff][\x01-\x7f])"
PAIR = DISTANCE + NUMBER
MACHINE = rb"(?:\x00|\x01" + OPTIONAL * len(names.MACHINE_FIELDS) + rb")"
MASKS = re.compile(NUMBER * 2)
DISTANCES = re.compile(rb"(" + DISTANCE + rb")" + NUMBER)


def terms_of(section: bytes) -> tuple[int, ...] | None:
    """The terms that the section names; None where it must be looked at closer."""
    masks = MASKS.match(section)
    opening = _opening(masks[0]) if masks else None
    begun = opening.match(section) if opening else None
    if begun is None:
        return None
    reads = begun[4]
    first = _histogram(_number(reads), False)
    middle = first.match(section, begun.end()) if first else None
    if middle is None:
        return None
    last = _histogram(_number(middle[2]), True)
    end = last.fullmatch(section, middle.end()) if last else None
    if end is None or _furthest(middle[1]) > LAST_BUCKET or _furthest(end[1]) > LAST_BUCKET:
        return None
    return tuple([_number(found) for found in begun.groups()[:3] if found is not None])


def _number(spelt: bytes) -> int:
    return spelt[0] if len(spelt) == 1 else Reader(spelt).take()


def _furthest(pairs: bytes) -> int:
    """The last bucket of a histogram."""
    distances = DISTANCES.findall(pairs)
    joined = b"".join(distances)
    return (sum(joined) if len(joined) == len(distances) else sum(map(_number, distances))) - 2


@lru_cache(maxsize=1024)
def _opening(masks: bytes) -> "re.Pattern[bytes] | None":
    """From the base to the number of pairs in the first histogram."""
    reader = Reader(masks)
    mask, null = reader.take(), reader.take()
    known = mask >> 1
    if known >> len(names.BASE_FIELDS) or null & ~known or (known and not mask & 1):
        return None
    values = (known & ~null).bit_count()
    rule = b"[\\x00-\\x%02x]" % max(names.RULES.values())
    return re.compile(re.escape(masks) + NUMBER * values + rule + TERMS + rb"(" + NUMBER + rb")")


@lru_cache(maxsize=2 * (MAX_PAIRS + 2))
def _histogram(announced: int, last: bool) -> "re.Pattern[bytes] | None":
    """The pairs of a histogram, and what follows them."""
    pairs = max(announced - 1, 0)
    if pairs > MAX_PAIRS:
        return None
    after = MACHINE if last else rb"(" + NUMBER + rb")"
    return re.compile(rb"((?:" + PAIR + rb"){%d})" % pairs + after)
