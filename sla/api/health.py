"""Is it up, and is it whole? `/healthz` is the process; `/readyz` also the database, the broker, the beat and the work.

Work that is late makes no web process unready: to take it out would cost frames besides. It is said all the same.
"""

import time
from datetime import UTC, datetime

import msgspec
import redis
from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection
from django.http import HttpRequest, HttpResponse

from sla.domain.incidents.watch import late, waiting
from sla.incidents.audit import backlogs, turns, up_s

BEAT_KEY = "plimsoll:beat"
# The beat writes every 10 s; three missed ones are a fault, and at start it has this long to appear.
BEAT_LATE_S = 45
_started = time.monotonic()


def broker() -> redis.Redis:
    """Redis, with a limit on how long it may keep a health check waiting."""
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=2)


def note_beat(now: float) -> None:
    """Called by the worker on the beat's word: proves beat, broker and worker in one go."""
    broker().set(BEAT_KEY, repr(now))


def _database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM telemetry_frame LIMIT 1")
    except DatabaseError as error:
        return f"failing: {str(error).splitlines()[0]}"
    return "ok"


def _broker_and_beat(now: float) -> tuple[str, str]:
    try:
        last = broker().get(BEAT_KEY)
    except redis.RedisError as error:
        return f"failing: {error}", "unknown"
    if last is None:
        starting = time.monotonic() - _started < BEAT_LATE_S
        return "ok", "starting" if starting else "failing: never ran"
    age = now - float(last)
    return "ok", "ok" if age < BEAT_LATE_S else f"failing: last ran {age:.0f} s ago"


def _work(now: datetime) -> str:
    """What the auditor looks for, asked here too: it may be the auditor that does not run."""
    try:
        up = min(up_s(now), time.monotonic() - _started)
        wrong = [*late(turns(now), up), *waiting(backlogs(now))]
    except DatabaseError:
        return "unknown"
    return f"late: {'; '.join(wrong)}" if wrong else "ok"


def healthz(_request: HttpRequest) -> HttpResponse:
    """This process answers."""
    return HttpResponse(b'{"status":"ok"}', content_type="application/json")


def readyz(_request: HttpRequest) -> HttpResponse:
    """200 when all that the line of data needs is there (`late`: but work waits), else 503 and which is not."""
    beat_at = time.time()
    database = _database()
    broker_state, beat = _broker_and_beat(beat_at)
    parts = {"database": database, "broker": broker_state, "beat": beat}
    ready = all(state in ("ok", "starting") for state in parts.values())
    work = _work(datetime.fromtimestamp(beat_at, UTC)) if database == "ok" else "unknown"
    status = "failing" if not ready else "late" if work.startswith("late") else "ok"
    body = msgspec.json.encode({"status": status, **parts, "work": work})
    return HttpResponse(body, status=200 if ready else 503, content_type="application/json")
