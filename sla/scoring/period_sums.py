"""What did a span of time add up to? Days inside, hours at its edges, slots where an edge cuts an hour."""

from collections.abc import Iterable, Sequence

import psycopg

from sla.domain.verdict import Sums
from sla.scoring.columns import ROLLED, slot_values
from sla.scoring.store import DAY_S, HOUR_S

# What a verdict needs; in the order of the domain's `Sums` but for the I/Os.
VERDICT = (
    *("observed_s", "read_ios", "write_ios", "eligible_low", "eligible", "eligible_high"),
    *("slow_low", "slow", "slow_high", "lost_ms", "gap_ios", "gap_ms"),
    *("slots_met", "slots_met_proved", "slots_breached", "slots_breached_proved", "grade"),
)
OTHERS = tuple(name for name in ROLLED if name not in VERDICT)
FIELDS = ("disk_id", "term", "excluded", *VERDICT, *OTHERS)
AT = {name: place for place, name in enumerate(FIELDS)}
Row = tuple[int, ...]


def pieces(start: int, end: int) -> list[tuple[str, int, int]]:
    """[start, end) in Unix seconds as spans of the largest roll-ups: (table, from, to)."""
    found: list[tuple[str, int, int]] = []
    _cut(found, start, end, (("scoring_day", DAY_S), ("scoring_hour", HOUR_S)))
    return sorted(found, key=lambda piece: piece[1])


def _cut(found: list[tuple[str, int, int]], start: int, end: int, levels: Sequence[tuple[str, int]]) -> None:
    if start >= end:
        return
    if not levels:
        found.append(("scoring_slot", start, end))
        return
    (table, length), finer = levels[0], levels[1:]
    first, last = -(-start // length) * length, end // length * length
    if first >= last:
        _cut(found, start, end, finer)
        return
    found.append((table, first, last))
    _cut(found, start, first, finer)
    _cut(found, last, end, finer)


def sums_between(
    cursor: "psycopg.Cursor[tuple]",
    start: int,
    end: int,
    *,
    vantage: int,
    disks: Iterable[int] | None = None,
    names: Sequence[str] = FIELDS[3:],
) -> list[Row]:
    """Rows of (disk, term, excluded, *names) over [start, end), for these disks or all. `names`: FIELDS or VERDICT."""
    which, values = "", []
    if disks is not None:
        which, values = "AND disk_id = ANY(%b)", [list(disks)]
    parts, arguments = [], []
    for table, first, last in pieces(start, end):
        columns = slot_values(names) if table == "scoring_slot" else ", ".join(names)
        parts.append(
            f"SELECT disk_id, term, excluded, {columns} FROM {table} WHERE vantage = {int(vantage)} {which} "  # noqa: S608
            f"AND start >= to_timestamp({first}) AND start < to_timestamp({last})"
        )
        arguments += values
    totals = ", ".join("max(grade)" if name == "grade" else f"sum({name})::int8" for name in names)
    rows = cursor.execute(
        f"SELECT disk_id, term, excluded, {totals} FROM ({' UNION ALL '.join(parts)}) AS part "  # noqa: S608
        "GROUP BY disk_id, term, excluded",
        arguments,
        binary=True,
    )
    return rows.fetchall()


def sums_of(row: Row) -> Sums:
    """A row of `sums_between` as the domain's sums."""
    _, _, _, observed_s, reads, writes, *others = row[: 3 + len(VERDICT) - 1]
    return Sums(observed_s, reads + writes, *others)
