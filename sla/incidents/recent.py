"""What did the last minutes and hours of these disks look like, as far as the rules ask?"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import psycopg

from sla.domain.incidents.lost import LOST_WINDOWS_S
from sla.domain.states import Reason, State

# "Lately": as long as an acute trouble is remembered, and its five calm minutes.
LATELY_S = 600


@dataclass(frozen=True, slots=True)
class Recent:
    """`lost`: window in s -> (lost ms, observed ms). The others are of the last ten minutes; `units` and `observed_s`
    are of the minutes in which time was lost."""

    lost: Mapping[int, tuple[int, int]]
    units: int
    observed_s: int
    unavailable: bool
    proved: bool
    slow: int
    eligible: int


def recent(cursor: "psycopg.Cursor[tuple]", disks: Iterable[int], unit_bytes: int, end: int) -> dict[int, Recent]:
    """Per disk, up to `end` (Unix seconds), from its slots. `unit_bytes`: how big one counted I/O may be."""

    def within(what: str, length: int) -> str:
        return f"coalesce(sum({what}) FILTER (WHERE start >= to_timestamp({end - length})), 0)::int8"

    windows = [within(what, length) for length in LOST_WINDOWS_S for what in ("lost_ms", "observed_s::int8 * 1000")]
    lately = f"start >= to_timestamp({end - LATELY_S})"
    units = f"greatest(read_ios + write_ios, (read_bytes + write_bytes) / {int(unit_bytes)})"
    rows = cursor.execute(
        f"""
        SELECT disk_id, {", ".join(windows)},
               coalesce(sum({units}) FILTER (WHERE {lately} AND lost_ms > 0), 0)::int8,
               coalesce(sum(observed_s) FILTER (WHERE {lately} AND lost_ms > 0), 0)::int8,
               coalesce(bool_or(reason = {int(Reason.UNAVAILABLE)}) FILTER (WHERE {lately}), false),
               coalesce(bool_or(state = {int(State.BREACHED)} AND proved) FILTER (WHERE {lately}), false),
               {within("slow", LATELY_S)}, {within("eligible", LATELY_S)}
        FROM scoring_slot
        WHERE disk_id = ANY(%s) AND NOT excluded
          AND (disk_id, vantage) IN (SELECT disk_id, vantage FROM scoring_disknow)
          AND start >= to_timestamp({end - max(LOST_WINDOWS_S)}) AND start < to_timestamp({end})
        GROUP BY disk_id
        """,  # noqa: S608
        [list(disks)],
    )
    found = {}
    for disk, *values in rows:
        pairs = values[: 2 * len(LOST_WINDOWS_S)]
        lost = {length: (pairs[2 * place], pairs[2 * place + 1]) for place, length in enumerate(LOST_WINDOWS_S)}
        found[disk] = Recent(lost, *values[2 * len(LOST_WINDOWS_S) :])
    return found
