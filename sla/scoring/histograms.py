"""Which latencies did an hour or a day have? Its slots' histograms merged once it is over (never averaged: trap 13)."""

from datetime import timedelta

import numpy as np
import psycopg
from django.utils import timezone

from sla.domain.histogram import BUCKETS, pack
from sla.scoring import store
from sla.scoring.columns import KEY

# Frames of a minute come up to two minutes later; what comes later still asks for the merge again.
SETTLES = timedelta(minutes=5)
LIMIT = 2_000


def merge_histograms(*, limit: int = LIMIT) -> int:
    """Merge what has none yet, hours before the days that need them; how many rows were done."""
    now = timezone.now()
    done = 0
    for table, source, length in (
        ("scoring_hour", "scoring_slot", timedelta(hours=1)),
        ("scoring_day", "scoring_hour", timedelta(days=1)),
    ):
        with store.transacting() as cursor:
            done += _merge(cursor, table, source, length, now - length - SETTLES, limit)
    return done


def _merge(
    cursor: "psycopg.Cursor[tuple]", table: str, source: str, length: timedelta, before: object, limit: int
) -> int:
    rows = cursor.execute(
        f"""
        SELECT {", ".join(KEY)} FROM {table} AS r WHERE hist IS NULL AND start <= %s
        AND NOT EXISTS (SELECT 1 FROM {source} AS s WHERE s.hist IS NULL AND s.disk_id = r.disk_id
                        AND s.vantage = r.vantage AND s.start >= r.start AND s.start < r.start + %s)
        ORDER BY start LIMIT {int(limit)} FOR UPDATE SKIP LOCKED
        """,  # noqa: S608
        [before, length],
    ).fetchall()
    for row in rows:
        packed = cursor.execute(
            f"""
            SELECT hist FROM {source} WHERE disk_id = %s AND vantage = %s AND start >= %s AND start < %s
              AND term = %s AND excluded = %s
            """,  # noqa: S608
            [row[0], row[1], row[2], row[2] + length, row[3], row[4]],
            binary=True,
        ).fetchall()
        cursor.execute(
            f"UPDATE {table} SET hist = %s WHERE ({', '.join(KEY)}) = (%s, %s, %s, %s, %s)",  # noqa: S608
            [merged([one for (one,) in packed]), *row],
        )
    return len(rows)


def merged(packed: list[bytes]) -> bytes:
    """The sum of stored histograms, stored."""
    total = np.zeros(BUCKETS, np.int64)
    pairs = np.frombuffer(b"".join(packed), "<u4").reshape(-1, 2)
    np.add.at(total, pairs[:, 0], pairs[:, 1].astype(np.int64))
    return pack(np.minimum(total, np.iinfo(np.uint32).max))
