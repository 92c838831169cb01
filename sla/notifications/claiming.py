"""Whose notice is it now? One process delivers at a time, and what is due is claimed before anything is sent.

The process that delivers holds an advisory lock of its database session. The lock goes with the process, however it
ends: so a notice found `sending` by who holds the lock was left by a process that is gone, and is taken up at once.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import connection, transaction
from django.db.models import F

from sla.notifications.models import Notice

LOCK = 0x504C4F42  # any number that nobody else in this database takes
# Behind a notice that is still to go out, what comes later of the same incident to the same reader waits its turn.
_DUE = """
SELECT n.id FROM notifications_notice AS n
WHERE n.state IN ('queued', 'sending', 'failed') AND n.next_at <= %(now)s AND NOT n.gathered
  AND (n.channel_id IS NULL) = %(mail)s
  AND NOT EXISTS (
    SELECT 1 FROM notifications_notice AS before
    WHERE before.incident_id = n.incident_id AND before.id < n.id
      AND before.person_id IS NOT DISTINCT FROM n.person_id AND before.channel_id IS NOT DISTINCT FROM n.channel_id
      AND before.state IN ('queued', 'sending', 'failed') AND NOT before.gathered
  )
ORDER BY n.severity = 'page' DESC, n.next_at, n.id
LIMIT %(limit)s
FOR UPDATE OF n SKIP LOCKED
"""


@contextmanager
def sole() -> Iterator[bool]:
    """True inside for the one process that delivers now."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK])
        mine = bool(cursor.fetchone()[0])
    try:
        yield mine
    finally:
        if mine:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])


def claim(*, mail: bool, now: datetime, limit: int) -> list[Notice]:
    """What is due, pages first, now `sending` with one more attempt. Call it inside `sole`."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(_DUE, {"now": now, "mail": mail, "limit": limit})
            due = [row[0] for row in cursor.fetchall()]
        Notice.objects.filter(pk__in=due).update(state=Notice.State.SENDING, attempts=F("attempts") + 1, tried_at=now)
    rows = Notice.objects.select_related("person", "channel", "incident").in_bulk(due)
    return [rows[key] for key in due if key in rows]


def release(notices: Iterable[Notice]) -> None:
    """Back, as if they had not been claimed: nothing was tried."""
    claimed = Notice.objects.filter(pk__in=[notice.pk for notice in notices], state=Notice.State.SENDING)
    claimed.filter(attempts__gt=1).update(state=Notice.State.FAILED, attempts=F("attempts") - 1)
    claimed.filter(attempts=1).update(state=Notice.State.QUEUED, attempts=0)
