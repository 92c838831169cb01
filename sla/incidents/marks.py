"""Which disks have to be looked at? Marked in the transaction that changed them, taken by whoever looks first."""

import logging
from collections.abc import Collection, Mapping
from typing import Any

import psycopg
from celery import current_app
from django.db import transaction
from django.dispatch import receiver
from kombu.exceptions import KombuError

from sla.domain.burn import ACUTE_CALM_S, ACUTE_WINDOW_S
from sla.domain.states import State
from sla.incidents.models import Mark
from sla.neighbours.signals import window_changed
from sla.scoring.now import Standing
from sla.scoring.signals import standings_judged

logger = logging.getLogger(__name__)
EVALUATE = "sla.incidents.evaluate"
# A word to the worker that waits longer than this is of no use: the beat has come by.
WORD_EXPIRES_S = 5


def notable(row: Standing, now: float, lost: Collection[int]) -> bool:
    """Could this standing open an incident? Those in one already are looked at anyway."""
    acute = row.acute_at is not None and now - row.acute_at < 2 * ACUTE_CALM_S
    bad = row.period_state == State.BREACHED or (row.state == State.NO_DATA and row.seen_at is not None)
    return acute or bad or bool(row.firing) or row.disk_id in lost


def fresh(row: Standing, now: float) -> bool:
    """Did the acute rule hold a moment ago? Then every second counts."""
    return row.acute_at is not None and now - row.acute_at < ACUTE_WINDOW_S


@receiver(standings_judged)
def mark_disks(
    cursor: "psycopg.Cursor[tuple]", rows: Mapping[int, Standing], now: float, lost: Collection[int], **_: Any
) -> None:
    """The disks among those just judged that have to be looked at."""
    disks = [disk for disk, row in rows.items() if notable(row, now, lost)]
    if disks:
        cursor.execute("INSERT INTO incidents_mark (disk_id) SELECT unnest(%s::int8[])", [disks])
        if any(fresh(rows[disk], now) for disk in disks):
            say_soon()


@receiver(window_changed)
def mark_window(window: Any, **_: Any) -> None:
    """A contention window opened, changed or closed."""
    Mark.objects.create(window_id=window.pk)


def say_soon() -> None:
    """A word to the workers as soon as this transaction stands; what is due stands in it, so the word may be lost."""
    transaction.on_commit(_say, robust=True)


def _say() -> None:
    try:
        current_app.send_task(EVALUATE, retry=False, expires=WORD_EXPIRES_S)
    except (KombuError, OSError) as error:
        logger.warning("no word to the workers (%s): the beat will come by", error)


def claim(cursor: "psycopg.Cursor[tuple]", limit: int) -> tuple[int, set[int], set[int]]:
    """Take up to `limit` marks; how many, and the disks and windows they name."""
    rows = cursor.execute(
        """
        DELETE FROM incidents_mark WHERE id = ANY(ARRAY(
            SELECT id FROM incidents_mark ORDER BY id LIMIT %s FOR UPDATE SKIP LOCKED
        )) RETURNING disk_id, window_id
        """,
        [limit],
    ).fetchall()
    return len(rows), {disk for disk, _ in rows if disk}, {window for _, window in rows if window}
