"""Did ingest, scoring, rules, detection and mail run on time? Asked of the database, not of the processes."""

import logging
from collections.abc import Iterator
from datetime import datetime

from django.db import connection

from sla.domain.incidents.watch import DUE_LATE_S, MARKS_LATE_S, Backlog, Turn, late, waiting
from sla.incidents.evaluate import nobody_is_heard
from sla.incidents.jobs import AUDIT, broken_after_s, period_s
from sla.incidents.models import JobRun
from sla.incidents.signals import audit_asked
from sla.schedule import SCHEDULE

logger = logging.getLogger(__name__)


def findings(now: datetime) -> list[str]:
    """Everything that is wrong, in words; empty when all is well."""
    found = [*late(turns(now), 0.0 if was_away(now) else up_s(now)), *waiting(backlogs(now))]
    if nobody_is_heard(now):
        found.append("most machines fell silent at once: frames do not reach us")
    for receiver, said in audit_asked.send_robust(sender=JobRun, now=now):
        if isinstance(said, Exception):
            logger.error("a check of the auditor failed", exc_info=said)
            name = getattr(receiver, "__module__", "?")
            found.append(f"the check of {name} failed: {type(said).__name__}")
        else:
            found += list(said or ())
    return found


def up_s(now: datetime) -> float:
    """Since when the schedule runs without a break, by the auditor's own runs: what was due before that is excused."""
    run = JobRun.objects.filter(task=AUDIT).first()
    if run is None or run.steady_since is None:
        return 0.0
    return max(0.0, (now - run.steady_since).total_seconds())


def was_away(now: datetime) -> bool:
    """Is this the auditor's first look after a break? Then everything was, and is given its time to come back."""
    run = JobRun.objects.filter(task=AUDIT).first()
    return run is None or run.ended_at is None or (now - run.ended_at).total_seconds() > broken_after_s(AUDIT)


def turns(now: datetime) -> Iterator[Turn]:
    """The tasks of the schedule and when each last ended well."""
    runs = JobRun.objects.in_bulk()
    for task in sorted({entry["task"] for entry in SCHEDULE.values()}):
        run, every = runs.get(task), period_s(task)
        if every is None:
            continue
        ok_s = (now - run.ok_at).total_seconds() if run and run.ok_at else None
        failed = run is not None and run.failed_at is not None and (run.ok_at is None or run.failed_at > run.ok_at)
        yield Turn(task, every, ok_s, run.error if run and failed else "")


def backlogs(now: datetime) -> Iterator[Backlog]:
    """What waits to be scored, and to be looked at by the rules."""
    for what, table, limit in (
        ("minutes wait to be scored", "telemetry_dueslot", DUE_LATE_S),
        ("disks wait for the rules", "incidents_mark", MARKS_LATE_S),
    ):
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT count(*), min(marked_at) FROM {table}")  # noqa: S608
            count, oldest = cursor.fetchone()
        yield Backlog(what, count, (now - oldest).total_seconds() if oldest else 0.0, limit)
