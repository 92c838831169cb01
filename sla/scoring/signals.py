"""Who wants to know what was scored, and how disks stand? Sent in the transaction that did it, before it commits."""

from django.dispatch import Signal

# kwargs: cursor, rows (disk id -> Standing, as stored), now (Unix seconds), lost (ids of disks that lost time in what
# was just scored).
standings_judged = Signal()
# kwargs: cursor, keys (disk, vantage, minute: slots that were just written), now. The standings are still as they were.
slots_scored = Signal()
