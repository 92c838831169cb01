"""When did each task of the schedule last run, how long did it take, what did it say? Written by Celery's own signals.

One row a task, so that a task of every two seconds costs one small update and no history to clear away.
"""

import logging
import time
from datetime import UTC, datetime
from typing import Any

from celery.signals import task_failure, task_postrun, task_prerun
from django.db import DatabaseError, connection

from sla.schedule import SCHEDULE

logger = logging.getLogger(__name__)
AUDIT = "sla.incidents.audit"
TASKS = frozenset(entry["task"] for entry in SCHEDULE.values())
SAID_MAX = 500
# Runs further apart than this many periods (30 s at least) are no unbroken series: the workers were away between them.
BROKEN_AFTER_PERIODS = 5
BROKEN_AFTER_S = 30
_began: dict[str, tuple[datetime, float]] = {}
_UPSERT = """
INSERT INTO incidents_jobrun AS job
    (task, started_at, ended_at, ok_at, duration_ms, longest_ms, runs, failures, said, error, failed_at, steady_since)
VALUES (%(task)s, %(began)s, %(ended)s, %(ok_at)s, %(took)s, %(took)s, 1, %(failed)s, %(said)s, %(error)s,
        %(failed_at)s, %(began)s)
ON CONFLICT (task) DO UPDATE SET
    started_at = EXCLUDED.started_at, ended_at = EXCLUDED.ended_at, ok_at = coalesce(EXCLUDED.ok_at, job.ok_at),
    duration_ms = EXCLUDED.duration_ms, longest_ms = greatest(job.longest_ms, EXCLUDED.longest_ms),
    runs = job.runs + 1, failures = job.failures + EXCLUDED.failures,
    said = CASE WHEN EXCLUDED.failures = 0 THEN EXCLUDED.said ELSE job.said END,
    error = CASE WHEN EXCLUDED.failures = 0 THEN job.error ELSE EXCLUDED.error END,
    failed_at = coalesce(EXCLUDED.failed_at, job.failed_at),
    steady_since = CASE WHEN job.ended_at IS NULL
                          OR EXCLUDED.started_at - job.ended_at > make_interval(secs => %(broken_after)s)
                        THEN EXCLUDED.started_at ELSE job.steady_since END
"""


def period_s(task: str) -> float | None:
    """Seconds between runs, None for a task that is not of the schedule (or runs by the calendar)."""
    found = (entry["schedule"] for entry in SCHEDULE.values() if entry["task"] == task)
    every = next(found, None)
    return float(every) if isinstance(every, int | float) else None


def broken_after_s(task: str) -> float:
    """A break between two runs that is longer ends the series."""
    return max(BROKEN_AFTER_S, BROKEN_AFTER_PERIODS * (period_s(task) or 0))


def record_run(task: str, began: datetime, took_ms: int, said: str, error: str = "") -> None:
    """Write down one run. A database that is away must not turn a task that worked into one that failed."""
    failed = bool(error)
    ended = datetime.now(UTC)
    values = {
        "task": task,
        "began": began,
        "ended": ended,
        "ok_at": None if failed else began,
        "took": took_ms,
        "failed": int(failed),
        "said": said[:SAID_MAX],
        "error": error[:SAID_MAX],
        "failed_at": ended if failed else None,
        "broken_after": broken_after_s(task),
    }
    try:
        with connection.cursor() as cursor:
            cursor.execute(_UPSERT, values)
    except DatabaseError:
        logger.exception("the run of %s could not be written down", task)


@task_prerun.connect
def note_start(task_id: str = "", **_: Any) -> None:
    """A task begins."""
    _began[task_id] = datetime.now(UTC), time.monotonic()


@task_failure.connect
def note_failure(sender: Any = None, task_id: str = "", exception: BaseException | None = None, **_: Any) -> None:
    """It failed; what with."""
    _record(sender, task_id, said="", error=f"{type(exception).__name__}: {exception}")


@task_postrun.connect
def note_end(sender: Any = None, task_id: str = "", retval: Any = None, state: str | None = None, **_: Any) -> None:
    """It ended; a failure was written down already."""
    if state == "SUCCESS":
        _record(sender, task_id, said=str(retval))
    _began.pop(task_id, None)


def _record(sender: Any, task_id: str, *, said: str, error: str = "") -> None:
    name = getattr(sender, "name", "")
    if name in TASKS and task_id in _began:
        began, clock = _began.pop(task_id)
        record_run(name, began, round((time.monotonic() - clock) * 1000), said, error)
