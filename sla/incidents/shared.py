"""Which disks suffer in an open window of shared storage that hit their contract?"""

from collections.abc import Iterable
from datetime import datetime

import psycopg

from sla.domain.evidence import MINUTE_S
from sla.domain.incidents.condition import Shared
from sla.domain.states import State
from sla.neighbours.models import Role, WindowDisk


def shared_by(cursor: "psycopg.Cursor[tuple]", disks: Iterable[int], now: datetime) -> dict[int, Shared]:
    """Per disk its open window, if a minute of the disk broke its contract since the window began."""
    rows = WindowDisk.objects.filter(
        disk__in=list(disks), role=Role.VICTIM, window__end=None, window__pool__isnull=False
    ).values_list("disk", "window", "window__cause", "window__start")
    victims = {disk: Shared(window, _cause(cause), start.timestamp()) for disk, window, cause, start in rows}
    if not victims:
        return {}
    earliest = min(one.start for one in victims.values())
    hit = cursor.execute(
        """
        SELECT disk_id, extract(epoch FROM max(start))::float8 FROM scoring_slot
        WHERE disk_id = ANY(%s) AND state = %s AND start >= to_timestamp(%s) AND start < %s
          AND (disk_id, vantage) IN (SELECT disk_id, vantage FROM scoring_disknow)
        GROUP BY disk_id
        """,
        [list(victims), int(State.BREACHED), earliest - MINUTE_S, now],
    )
    # A window begins inside a minute: the minute it begins in counts.
    return {disk: victims[disk] for disk, last in hit if last + MINUTE_S > victims[disk].start}


def _cause(word: str) -> str:
    return word if word in ("neighbour", "backend", "wider") else "unknown"
