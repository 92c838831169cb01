"""Who wants to know how disks stand? Sent in the transaction that judged them, before it commits."""

from django.dispatch import Signal

# kwargs: cursor, rows (disk id -> Standing, as stored), now (Unix seconds), lost (ids of disks that lost time in what
# was just scored).
standings_judged = Signal()
