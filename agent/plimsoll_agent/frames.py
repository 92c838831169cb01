"""What does a frame of the protocol say: the finished seconds of one disk, from their journal.

base + the sums of the arrays = base of the next frame, field by field (time fields modulo 2^32), wherever no
second is missing between them.
"""

from __future__ import annotations

from . import journal
from .core import r40
from .core.counters import FIELDS
from .core.terms import Term
from .kernel.machine import facts_between

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict

    Frame = Dict[str, Any]

# What stands beside a packed body; the body holds the rest.
ENVELOPE = ("device", "serial", "wwn", "vantage", "source", "start", "step_s", "n")
# In the order of core.meter.SecondCounts.
COUNTS = (
    "read_lo",
    "read_hi",
    "read_est",
    "write_lo",
    "write_hi",
    "write_est",
    "covered_est",
    "excess_lo",
    "excess_hi",
    "lost_ms",
)
MINUTE_S = 60


def frame_of(contents: journal.Contents) -> Frame | None:
    """The frame in protocol.md's JSON form. None where the journal holds no whole second.

    A field that the kernel lacks is left out: missing means unknown. Rows beyond the minute (they cannot come from
    this agent's sampler) are left out too.
    """
    rows = contents.rows[: MINUTE_S - contents.start % MINUTE_S]
    if not rows:
        return None
    frame: Frame = {
        "device": contents.device,
        "serial": contents.serial,
        "wwn": contents.wwn,
        "vantage": contents.vantage,
        "source": contents.source,
        "start": contents.start,
        "step_s": 1,
        "n": len(rows),
        "base": {name: value for name, value in zip(FIELDS, contents.base) if value is not None},
    }
    for index, name in enumerate(FIELDS):
        column = [row[0][index] for row in rows]
        if name != "discard_merges" and any(value is not None for value in column):
            frame[name] = column
    if all(row[1] is not None for row in rows):
        frame["in_flight_ms"] = [row[1] for row in rows]
    frame["in_flight_rule"] = contents.rule
    frame["fine_ms"] = [row[2] for row in rows]
    frame["slow"] = [_slow(term, pool, [row[3][at] for row in rows]) for at, (term, pool) in enumerate(contents.terms)]
    frame["read_hist"] = _merged([row[4] for row in rows])
    frame["write_hist"] = _merged([row[5] for row in rows])
    if len(contents.machines) > 1:
        frame["machine"] = facts_between(contents.machines[0], contents.machines[-1])
    return frame


def _slow(term: Term, pool: int, seconds: list[tuple[int, ...]]) -> Frame:
    same = term.read_threshold_us == term.write_threshold_us
    entry: Frame = {"term": term.term, "threshold_ms": _ms(term.read_threshold_us) if same else None}
    for index, name in enumerate(COUNTS):
        entry[name] = [second[index] for second in seconds]
    entry["pool_start"] = pool
    return entry


def _ms(us: int) -> int | float:
    return us // 1000 if us % 1000 == 0 else us / 1000


def _merged(histograms: list[dict[int, int]]) -> list[list[int]]:
    return [[bucket, count] for bucket, count in sorted(r40.merge(histograms).items())]
