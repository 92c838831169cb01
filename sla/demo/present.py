"""How does every disk of the demonstration stand once its past is written? Judged by scoring's own verbs."""

from collections.abc import Sequence
from datetime import UTC, datetime

import psycopg

from sla.domain.contract import EXCUSED_BELOW_PPM, PPM
from sla.scoring import store
from sla.scoring.now import Standing, put_standings, refresh, standings
from sla.scoring.signals import standings_judged

_SEEN = f"""
SELECT disk_id, extract(epoch FROM max(start))::float8 + 60,
       extract(epoch FROM max(start) FILTER (WHERE read_ios + write_ios > 0 OR in_flight > 0))::float8 + 60,
       extract(epoch FROM max(start) FILTER (WHERE read_ios + write_ios > 0
           AND eligible::int8 * {PPM} >= {EXCUSED_BELOW_PPM}::int8 * (read_ios + write_ios)))::float8 + 60
FROM scoring_slot WHERE disk_id = ANY(%s) AND start >= to_timestamp(%s) GROUP BY disk_id
"""  # noqa: S608
_LAST = """
SELECT DISTINCT ON (disk_id) disk_id, extract(epoch FROM start)::float8, state, read_ios + write_ios,
       read_ms::int8 + write_ms, queue_ms, observed_s
FROM scoring_slot WHERE disk_id = ANY(%s) AND start >= to_timestamp(%s) ORDER BY disk_id, start DESC
"""


def stand(disks: Sequence[int], *, first: int, since: int) -> int:
    """Judge the open period of these disks and tell whoever listens; how many stand somewhere now.

    first: when their first frame began; since: slots from there on are looked at, all in Unix seconds.
    """
    with store.transacting() as cursor:
        store.lock_disks(cursor, disks)
        rows = standings(cursor, disks)
        _notice(cursor, rows, disks, first, since)
        now = datetime.now(UTC).timestamp()
        put_standings(cursor, rows.values())
        refresh(cursor, rows, now)
        standings_judged.send(sender=Standing, cursor=cursor, rows=rows, now=now, lost=frozenset())
    return len(rows)


def _notice(
    cursor: "psycopg.Cursor[tuple]", rows: dict[int, Standing], disks: Sequence[int], first: int, since: int
) -> None:
    """What their slots say of them."""
    for disk, seen, busy, covered in cursor.execute(_SEEN, [list(disks), since]).fetchall():
        row = rows[disk]
        row.first_at, row.seen_at = float(first), seen
        row.busy_at, row.covered_at, row.burn_rate = busy, covered, None
    for disk, start, state, ios, ms, queue_ms, observed in cursor.execute(_LAST, [list(disks), since]).fetchall():
        row = rows[disk]
        row.slot_start, row.slot_state = start, state
        row.iops = ios / observed
        row.await_ms = ms / ios if ios else None
        row.aqu_sz = queue_ms / (1_000 * observed)
