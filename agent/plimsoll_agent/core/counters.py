"""What do the kernel's block counters say, and what happened between two readings of them?

Source: Documentation/admin-guide/iostats.rst (fields 1 to 17 after the device name).
"""

from __future__ import annotations

Counters = tuple["int | None", ...]

# The 17 fields in the kernel's order. 11 until 4.17, 15 with discards (4.18), 17 with flushes (5.5).
FIELDS: tuple[str, ...] = (
    "read_ios",
    "read_merges",
    "read_sectors",
    "read_ms",
    "write_ios",
    "write_merges",
    "write_sectors",
    "write_ms",
    "in_flight",
    "busy_ms",
    "queue_ms",
    "discard_ios",
    "discard_merges",
    "discard_sectors",
    "discard_ms",
    "flush_ios",
    "flush_ms",
)

READ_IOS, READ_SECTORS, READ_MS = 0, 2, 3
WRITE_IOS, WRITE_SECTORS, WRITE_MS = 4, 6, 7
IN_FLIGHT = 8
SECTOR_BYTES = 512  # always, whatever the device's own block size

# The kernel prints these as `unsigned int` milliseconds (diskstats_show), so they wrap at 2^32.
WRAPPING = frozenset({"read_ms", "write_ms", "busy_ms", "queue_ms", "discard_ms", "flush_ms"})
WRAP = 1 << 32
# A field that went back is a wrap only if it came from the upper half and advanced by less than half: a
# re-attached disk starts again near 0 and would otherwise look like 49 days of I/O time.
HALF_WRAP = 1 << 31
_WRAPS = tuple(name in WRAPPING for name in FIELDS)


def advance(before: int, after: int, wraps: bool) -> int | None:
    """How far did one counter go? None if it went back other than by its wrap (a reset)."""
    delta = after - before
    if delta >= 0:
        return delta
    if wraps and before >= HALF_WRAP and delta + WRAP < HALF_WRAP:
        return delta + WRAP
    return None


def difference(before: Counters, after: Counters) -> tuple[int | None, ...] | None:
    """What did each field do between two readings of one disk?

    Shapes: two tuples in the order of FIELDS; the answer has the same order. Units: counts, 512-byte sectors,
    milliseconds. `in_flight` is no count but a level: its place holds `after`'s value.
    A place is None where either reading lacks the field; the whole answer is None after a reset (a monotone
    field went back and it was no wrap of a 32-bit millisecond field). Raises ValueError unless both hold 17.
    Source: design semantics §2, kernel iostats.rst ("unsigned int", "wraps").
    """
    if len(before) != len(FIELDS) or len(after) != len(FIELDS):
        raise ValueError(f"counters need {len(FIELDS)} fields, not {len(before)} and {len(after)}")
    out: list[int | None] = []
    for index, (old, new) in enumerate(zip(before, after)):
        if index == IN_FLIGHT:
            out.append(new)
        elif old is None or new is None:
            out.append(None)
        else:
            delta = advance(old, new, _WRAPS[index])
            if delta is None:
                return None
            out.append(delta)
    return tuple(out)
