"""Where do ten thousand disks with a month behind them come from? The demo's 200, simulated and then copied."""

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
from django.db.models import Model

from bench import pages_copy as copies
from bench.pages_copy import HOUR_S, STRIDE, History
from bench.score import say, told
from sla.contracts.services import ensure_default_contract
from sla.demo import tables
from sla.demo.cast import POOLS
from sla.demo.prepare import Size, prepare
from sla.fleet.models import Agent, Disk
from sla.incidents.evaluate import evaluate_due
from sla.scoring import store
from sla.scoring.models import Hour, Slot

DAY_S = 86_400
HOUSE = sum(disks for _, disks in POOLS)
EVENTFUL = 6  # houses that have incidents and windows: the demonstration has far more of them than a real fleet


def make(url: str, file: Path, disks: int, days: int, slot_days: int) -> int:
    """The fleet as of now in an empty database, or brought up to date in one that `file` remembers; how many disks."""
    houses = max(1, round(disks / HOUSE))
    size = Size(month_s=days * DAY_S, slot_days=slot_days, frames_s=2 * HOUR_S)
    ensure_default_contract()
    with psycopg.connect(url, autocommit=True) as link, link.transaction(), link.cursor() as cursor:
        copies.quiet(link)
        copies.clear(cursor, copies.EVENTS)  # where detection would look for its own
    with told(f"{HOUSE} disks, simulated"):
        kept = prepare(file, file.with_suffix(".none"), say, size)
    evaluate_due()
    plan = size.plan(kept.anchor)
    now = int(time.time()) // 60 * 60
    with psycopg.connect(url, autocommit=True) as link:
        copies.quiet(link)
        since = _copied_until(link)
        with told(f"{houses - 1} copies of them"):
            _tables(link, houses, new=since is None)
        recent = kept.anchor // HOUR_S * HOUR_S - slot_days * DAY_S
        history = History(url, houses, recent, slot_days * DAY_S)
        for model, first in ((Slot, since or recent), (Hour, since or plan.hours)):
            with told(f"{model._meta.db_table} of the copies"):
                _spread(link, history, model, first, now)
        first_day = (since or plan.hours) // DAY_S * DAY_S
        with told("days"), store.transacting() as cursor:
            ids = list(Disk.objects.filter(pk__gte=STRIDE).values_list("pk", flat=True))
            tables.add_up_days(cursor, ids, first_day, now)
        with told("vacuum"):
            link.execute(f"VACUUM (ANALYZE) {'scoring_disknow, fleet_agent' if since else ''}")
    return Disk.objects.count()


def _copied_until(link: "psycopg.Connection[Any]") -> int | None:
    """Up to where the copies have minutes; None before there are copies."""
    row = link.execute(
        "SELECT extract(epoch FROM max(start))::int8 + 60 FROM scoring_slot "
        "WHERE disk_id = (SELECT min(disk_id) FROM scoring_disknow WHERE disk_id >= %s)",
        [STRIDE],
    ).fetchone()
    return row[0] if row else None


def _tables(link: "psycopg.Connection[Any]", houses: int, *, new: bool) -> None:
    with link.transaction(), link.cursor() as cursor:
        if new:
            copies.copy_tables(cursor, copies.INVENTORY, houses)
        copies.copy_tables(cursor, copies.STANDING, houses)
        copies.copy_tables(cursor, copies.EVENTS, min(houses, EVENTFUL))
    Agent.objects.update(seen_at=datetime.now(UTC))


def _spread(link: "psycopg.Connection[Any]", history: History, model: type[Model], since: int, until: int) -> None:
    """Rows of the copies in [since, until); the primary key is made at the end where there are many."""
    hours = range(since // HOUR_S * HOUR_S, until, HOUR_S)
    copies.keep_source(link, model, min(history.recent, hours.start), history.recent + history.span_s)
    key = copies.key_dropped(link, model) if len(hours) > 24 else ""
    history.write(model, hours, since, until)
    link.execute(key)
    copies.drop_source(link, model)


def heard() -> None:
    """Whoever was heard of when the fleet was made is heard of now, as in a fleet that lives."""
    with store.transacting() as cursor:
        for table in ("scoring_disknow", "fleet_agent"):
            cursor.execute(
                f"UPDATE {table} SET seen_at = now() "  # noqa: S608
                f"WHERE seen_at >= (SELECT max(seen_at) FROM {table}) - interval '3 minutes'"
            )
