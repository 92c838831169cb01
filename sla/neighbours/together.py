"""Which windows are not their pool's alone? Those of pools that slowed down at the same moment are wider."""

from sla.domain.neighbours.cause import Cause
from sla.domain.neighbours.wider import PAST_S, TOGETHER_S, Company, Onset, together
from sla.neighbours.figures import STEP_S
from sla.neighbours.models import NeighbourWindow
from sla.neighbours.rows import company_of, narrowed, put_disks, row_of, widened
from sla.neighbours.signals import window_changed
from sla.neighbours.store import Cursor, moment

# Windows that were over longer ago than this are no news: nobody is told.
NEWS_S = 3_600
# Whoever stored windows compares them with those of the others when these are stored too.
LOCK = 0x706C_776E


def settle(cursor: Cursor, since: int, until: int, now: int) -> int:
    """Class the windows that began in [since, until], and those beside them; how many changed. Twice changes nothing.

    To be called last in the transaction that stored them. A window that another worker is writing is left to it: it
    comes here after us.
    """
    cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
    first, last = since - TOGETHER_S, until + TOGETHER_S
    begun = cursor.execute(
        """
        SELECT id, pool_id, extract(epoch FROM start)::int8, cause FROM neighbours_neighbourwindow
        WHERE disk_id IS NULL AND start >= to_timestamp(%s) AND start <= to_timestamp(%s)
        """,
        [first - TOGETHER_S - PAST_S, last + TOGETHER_S],
    ).fetchall()
    here = {window: cause == Cause.WIDER for window, _, start, cause in begun if first <= start <= last}
    if len(here) < 2 and not any(here.values()):
        return 0
    found = _found(cursor, begun, first - TOGETHER_S)
    changed = 0
    wanted = [window for window, wide in here.items() if wide or window in found]
    for window in NeighbourWindow.objects.filter(pk__in=wanted).order_by("pk").select_for_update(skip_locked=True):
        if company_of(window) != (company := found.get(window.pk)):
            _put(window, company, now)
            changed += 1
    return changed


def _found(cursor: Cursor, begun: list[tuple], since: int) -> dict[int, Company]:
    """Who has company. Whether a pool's own load was up is asked of the latest only; of those before them the cause
    says it well enough for how often there are any."""
    up = cursor.execute(
        """
        SELECT id, EXISTS (
            SELECT FROM neighbours_windowdisk AS part WHERE part.window_id = up.id AND part.role = 'suspect')
        FROM neighbours_neighbourwindow AS up WHERE id = ANY(%s) AND evidence -> 'load_up' = 'true'
        """,
        [[window for window, _, start, _ in begun if start >= since]],
    ).fetchall()
    named = dict(up)
    row = cursor.execute(
        "SELECT count(*), extract(epoch FROM min(first))::int8 FROM neighbours_poolstate WHERE through IS NOT NULL"
    ).fetchone()
    pools, watched = row if row and row[0] else (0, since)
    onsets = [
        Onset(
            window,
            pool,
            start,
            explained=window in named if start >= since else cause == Cause.NEIGHBOUR,
            named=named.get(window, False),
        )
        for window, pool, start, cause in begun
    ]
    return together(onsets, pools, STEP_S, watched)


def _put(window: NeighbourWindow, company: Company | None, now: int) -> None:
    stored = row_of(window)
    row = narrowed(stored) if company is None else widened(stored, company)
    window.cause, window.evidence, window.confidence = row.cause.value, row.evidence, round(row.confidence, 4)
    window.updated_at = moment(now)
    window.save(update_fields=["cause", "evidence", "confidence", "updated_at"])
    put_disks(window, row.disks)
    if window.evidence["until"] > now - NEWS_S:
        window_changed.send(sender=NeighbourWindow, window=window, change="updated")
