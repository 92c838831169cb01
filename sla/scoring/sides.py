"""How good is the evidence of each side of a disk, and what do the two say of each other? For its page."""

from typing import Any

from sla.fleet.vantage import Vantage
from sla.scoring import store
from sla.scoring.agreement import agreement, both_sided

# Queue length and rate × time of an I/O are two ways to one figure (Little's law); what is in flight at the ends of a
# span, and flushes, which only the first one counts, may make so much of a difference.
LITTLE = 0.1


def sides(disk_id: int, start: int, end: int) -> dict[str, Any] | None:
    """Both sides over [start, end) in Unix seconds; None where no host-side agent measured the disk.

    `guest`, `host`: the evidence of each, None where it has none; `both`: `agreement`, None without a common minute.
    """
    with store.reading() as cursor:
        if not both_sided(cursor, [disk_id], start):
            return None
        rows = cursor.execute(
            """
            SELECT vantage, count(*), sum(observed_s)::int8, sum(read_ios + write_ios)::int8,
                   sum(read_ms::int8 + write_ms)::int8, sum(queue_ms)::int8, sum(gap_ios)::int8,
                   percentile_disc(0.5) WITHIN GROUP (ORDER BY fine_ms)
            FROM scoring_slot
            WHERE disk_id = %s AND start >= to_timestamp(%s) AND start < to_timestamp(%s) GROUP BY vantage
            """,
            [disk_id, start, end],
        ).fetchall()
    told = {int(row[0]): _evidence(*row[1:]) for row in rows}
    return {
        "guest": told.get(int(Vantage.GUEST)),
        "host": told.get(int(Vantage.HOST)),
        "both": agreement(disk_id, start, end),
    }


def _evidence(
    slots: int, observed_s: int, ios: int, time_ms: int, queue_ms: int, gap_ios: int, fine_ms: int
) -> dict[str, Any]:
    """Of one side: minutes with frames, seconds seen, I/Os that no frame saw, how finely its agent looked, and whether
    queue length and rate × time of an I/O agree (None where nothing waited)."""
    queue, product = queue_ms / (1_000 * max(observed_s, 1)), time_ms / (1_000 * max(observed_s, 1))
    return {
        "minutes": slots,
        "observed_s": observed_s,
        "ios": ios,
        "gap_ios": gap_ios,
        "fine_ms": fine_ms,
        "aqu_sz": queue,
        "iops_await": product,
        "little": None if time_ms == 0 else abs(queue - product) <= LITTLE * max(queue, product),
    }
