"""Do the guest's and the host's slots of a disk agree? For its page, and for a verdict that somebody disputes."""

from collections.abc import Container, Iterable, Mapping
from typing import Any

import numpy as np
import psycopg

from sla.domain.agreement import Agreement, Side, compare
from sla.domain.evidence import Ints
from sla.fleet.vantage import Vantage
from sla.scoring import store
from sla.scoring.store import DAY_S, HOUR_S

# Of the slots both sides saw, this many per cent may differ (a reboot, a clock set) before the evidence is disputed.
TOLERATED_PERCENT = 1
WORST = 20


# How long the word of a disk that stands in a list looks back, and how often it is looked up again, in minutes.
LOOK_BACK_S = DAY_S
EVERY = 10
DISPUTED = "DISPUTED"
# Whose the time is that a guest waited and the host did not.
OWNER = "between guest and host: the virtual device, stolen CPU time, the guest's own queue"


def mark_disputed(
    cursor: "psycopg.Cursor[tuple]", reasons: Mapping[int, list[str]], marked: Container[int], now: float
) -> None:
    """Append DISPUTED to the reasons of disks whose two sides differ by more than can be explained.

    `marked`: those that were disputed last; each disk is looked at anew every ten minutes, where both sides measure.
    """
    sided = both_sided(cursor, reasons, int(now) - LOOK_BACK_S)
    for disk in sided:
        in_turn = (int(now) // 60 + disk) % EVERY == 0
        odd = disk in marked
        if in_turn or (not odd and _differs(_table(cursor, disk, int(now) - 60 * EVERY, int(now)))):
            odd = _disputed(_table(cursor, disk, int(now) - LOOK_BACK_S, int(now)))
        if odd:
            reasons[disk].append(DISPUTED)


def both_sided(cursor: "psycopg.Cursor[tuple]", disks: Iterable[int], since: int) -> list[int]:
    """Which of these disks a host-side agent measures too."""
    rows = cursor.execute(
        f"""
        SELECT disk FROM unnest(%b::int8[]) AS disk WHERE EXISTS (
            SELECT 1 FROM scoring_hour AS h
            WHERE h.disk_id = disk AND h.vantage = {Vantage.HOST:d} AND h.start >= to_timestamp({since - HOUR_S}))
        """,  # noqa: S608
        [list(disks)],
    )
    return [disk for (disk,) in rows]


def _differs(table: Ints) -> bool:
    """Any of these slots."""
    return len(table) > 0 and bool(compare(*_sides(table)).disputed.any())


def _disputed(table: Ints) -> bool:
    return len(table) > 0 and _too_many(compare(*_sides(table)))


def _too_many(got: Agreement) -> bool:
    return int(got.disputed.sum()) * 100 > TOLERATED_PERCENT * len(got.disputed)


def _sides(table: Ints) -> tuple[Side, Side]:
    return Side(*table[:, 1:5].T), Side(*table[:, 5:9].T)


def _table(cursor: "psycopg.Cursor[tuple]", disk_id: int, start: int, end: int) -> Ints:
    """(S, 9) slots that both sides saw whole: start, and of guest and host I/Os, bytes, ms, in flight."""
    rows = cursor.execute(
        f"""
        SELECT extract(epoch FROM g.start)::int8,
               g.read_ios + g.write_ios, g.read_bytes + g.write_bytes, g.read_ms + g.write_ms, g.in_flight,
               h.read_ios + h.write_ios, h.read_bytes + h.write_bytes, h.read_ms + h.write_ms, h.in_flight
        FROM scoring_slot AS g
        JOIN scoring_slot AS h ON h.disk_id = g.disk_id AND h.start = g.start AND h.vantage = 2
        WHERE g.disk_id = %s AND g.vantage = 1 AND g.observed_s = 60 AND h.observed_s = 60
          AND g.start >= to_timestamp({start}) AND g.start < to_timestamp({end})
          AND h.start >= to_timestamp({start}) AND h.start < to_timestamp({end})
        ORDER BY g.start
        """,  # noqa: S608
        [disk_id],
        binary=True,
    ).fetchall()
    return np.array(rows, np.int64).reshape(-1, 9)


def agreement(disk_id: int, start: int, end: int) -> dict[str, Any] | None:
    """Both sides over [start, end) in Unix seconds; None where only one side was measured."""
    with store.reading() as cursor:
        table = _table(cursor, disk_id, int(start), int(end))
    if not len(table):
        return None
    guest, host = _sides(table)
    got = compare(guest, host)
    odd = np.flatnonzero(got.disputed)
    ios = int(guest.ios.sum())
    return {
        "slots": len(table),
        "disagree": len(odd),
        "disputed": _too_many(got),
        "ios": {"guest": ios, "host": int(host.ios.sum())},
        "bytes": {"guest": int(guest.size_bytes.sum()), "host": int(host.size_bytes.sum())},
        "time_ms": {"guest": int(guest.time_ms.sum()), "host": int(host.time_ms.sum())},
        "beyond_host_owner": OWNER,
        "beyond_host_ms_per_io": round(int(got.beyond_host_ms.sum()) / ios, 4) if ios else None,
        "first": [
            {
                "start": int(table[place, 0]),
                "ios": {"guest": int(guest.ios[place]), "host": int(host.ios[place])},
                "time_ms": {"guest": int(guest.time_ms[place]), "host": int(host.time_ms[place])},
                "differs": [name for name in ("ios", "size_bytes", "time") if not getattr(got, name)[place]],
            }
            for place in odd[:WORST].tolist()
        ],
    }
