"""Do the guest's and the host's slots of a disk agree? For its page, and for a verdict that somebody disputes."""

from typing import Any

import numpy as np

from sla.domain.agreement import Side, compare
from sla.scoring import store

# Of the slots both sides saw, this many per cent may differ (a reboot, a clock set) before the evidence is disputed.
TOLERATED_PERCENT = 1
WORST = 20


def agreement(disk_id: int, start: int, end: int) -> dict[str, Any] | None:
    """Both sides over [start, end) in Unix seconds; None where only one side was measured."""
    with store.reading() as cursor:
        rows = cursor.execute(
            f"""
            SELECT extract(epoch FROM g.start)::int8,
                   g.read_ios + g.write_ios, g.read_bytes + g.write_bytes, g.read_ms + g.write_ms, g.in_flight,
                   h.read_ios + h.write_ios, h.read_bytes + h.write_bytes, h.read_ms + h.write_ms, h.in_flight
            FROM scoring_slot AS g
            JOIN scoring_slot AS h ON h.disk_id = g.disk_id AND h.start = g.start AND h.vantage = 2
            WHERE g.disk_id = %s AND g.vantage = 1 AND g.observed_s = 60 AND h.observed_s = 60
              AND g.start >= to_timestamp({int(start)}) AND g.start < to_timestamp({int(end)})
              AND h.start >= to_timestamp({int(start)}) AND h.start < to_timestamp({int(end)})
            ORDER BY g.start
            """,  # noqa: S608
            [disk_id],
            binary=True,
        ).fetchall()
    if not rows:
        return None
    table = np.array(rows, np.int64)
    guest, host = Side(*table[:, 1:5].T), Side(*table[:, 5:9].T)
    got = compare(guest, host)
    odd = np.flatnonzero(got.disputed)
    ios = int(guest.ios.sum())
    return {
        "slots": len(table),
        "disagree": len(odd),
        "disputed": len(odd) * 100 > TOLERATED_PERCENT * len(table),
        "ios": {"guest": ios, "host": int(host.ios.sum())},
        "bytes": {"guest": int(guest.size_bytes.sum()), "host": int(host.size_bytes.sum())},
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
