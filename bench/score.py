"""What does scoring cost? `make bench-score`; the last line on stdout is JSON.

A minute live (frames of a fleet become slots, hours, days and standings: CPU of this process and of the database), a
month of one disk from its 1-s frames, a month of 10,000 disks from the roll-ups. All of it is made up.
"""

import json
import os
import random
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import django
import psutil

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "sla.settings")
django.setup()

from django.core.management import call_command  # noqa: E402  Django must be set up before its parts are imported
from django.db import connection  # noqa: E402

from bench.cpu import cpu_s, postmaster  # noqa: E402
from bench.ingest import frame  # noqa: E402
from plimsoll_agent.core import layout  # noqa: E402
from sla.accounts.models import Customer  # noqa: E402
from sla.contracts.models import Assignment  # noqa: E402
from sla.contracts.services import ensure_default_contract  # noqa: E402
from sla.domain.period import Period, period_of  # noqa: E402
from sla.fleet.models import Disk, Machine  # noqa: E402
from sla.memory import keep_freed_memory  # noqa: E402
from sla.scoring import services, store  # noqa: E402
from sla.scoring.columns import KEY, ROLLED  # noqa: E402
from sla.scoring.fleet import fleet_month  # noqa: E402
from sla.scoring.month import sums_from_frames  # noqa: E402
from sla.telemetry.wire import Key  # noqa: E402

LIVE_DISKS, WARM_MINUTES, MINUTES = 500, 30, 10
FLEET_DISKS = 10_000
BODIES = 240  # different minutes; a month is made of them over and over
DAY_S = 86_400


def say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


@contextmanager
def told(what: str) -> Iterator[dict[str, float]]:
    """Wall and CPU of a step (this process and the database), told on stderr."""
    got: dict[str, float] = {}
    database = postmaster()
    before, base, begun = time.process_time(), cpu_s(database), time.perf_counter()
    yield got
    got["wall"] = time.perf_counter() - begun
    got["python"], got["database"] = time.process_time() - before, cpu_s(database) - base
    say(f"{what}: {got['wall']:.2f} s (CPU: python {got['python']:.2f}, database {got['database']:.2f})")


def bodies(term: int) -> list[bytes]:
    """Minutes of one disk, encoded."""
    rng = random.Random(7)
    made = []
    for index in range(BODIES):
        one = frame(rng, 0, index * 60, term)
        one["base"] = {}
        made.append(layout.encode({name: value for name, value in one.items() if name not in Key.__struct_fields__}))
    return made


def fleet(count: int, name: str) -> tuple[list[int], int]:
    """Disks of a machine of their own, and the term that judges them."""
    customer, _ = Customer.objects.get_or_create(name="bench-score")
    machine = Machine.objects.create(customer=customer, machine_id=f"{name}-{time.time_ns()}", hostname=name)
    made = Disk.objects.bulk_create(
        [Disk(machine=machine, identity=f"serial:{i}", device=f"vd{i}", serial=str(i)) for i in range(count)]
    )
    version = ensure_default_contract().versions.order_by("-number")[0]
    Assignment.objects.bulk_create([Assignment(disk=disk, version=version) for disk in made])
    return [disk.pk for disk in made], version.pk


def keep(rows: Iterator[tuple[int, int, bytes]], *, due: bool) -> None:
    """Store frames (disk, start, body)."""
    listed = list(rows)
    with store.transacting() as cursor:
        columns = "disk_id, vantage, start, step_s, n, source, boot, received_at, body"
        with cursor.copy(f"COPY telemetry_frame ({columns}) FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(["int8", "int2", "timestamptz", "int2", "int2", "int2", "int8", "timestamptz", "bytea"])
            now = datetime.now(UTC)
            for disk, start, body in listed:
                copy.write_row((disk, 1, datetime.fromtimestamp(start, UTC), 1, 60, 1, 1, now, body))
        if due:
            cursor.execute(
                """
                INSERT INTO telemetry_dueslot (disk_id, vantage, start, marked_at)
                SELECT disk, 1, to_timestamp(start), now() FROM unnest(%s::int8[], %s::int8[]) AS due (disk, start)
                """,
                [[row[0] for row in listed], [row[1] for row in listed]],
            )


def live(pool: list[bytes], term_disks: list[int]) -> float:
    """ms CPU a slot, the hour half full and a month of days behind it."""
    now = int(time.time()) // 60 * 60
    first = now - 60 * (WARM_MINUTES + MINUTES)

    def minute(at: int) -> Iterator[tuple[int, int, bytes]]:
        rng = random.Random(at)
        return ((disk, at, rng.choice(pool)) for disk in term_disks)

    for index in range(WARM_MINUTES):
        keep(minute(first + 60 * index), due=True)
    with told(f"settling {WARM_MINUTES * len(term_disks)} slots of a backlog"):
        services.settle_due()
    past_days(term_disks, 15, first)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE scoring_slot, scoring_hour, scoring_day, scoring_disknow, telemetry_frame")
    spent, slots = 0.0, 0
    for index in range(WARM_MINUTES, WARM_MINUTES + MINUTES):
        keep(minute(first + 60 * index), due=True)
        with told("a minute live") as cost:
            slots += services.settle_due().slots
        spent += cost["python"] + cost["database"]
    return 1000 * spent / slots


def past_days(disks: list[int], days: int, before: int) -> None:
    """Days in the past that look like the hours there are."""
    names = ", ".join(ROLLED)
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            INSERT INTO scoring_day ({", ".join(KEY)}, {names})
            SELECT DISTINCT ON (disk_id, d)
                disk_id, vantage, to_timestamp(%s) - d * interval '1 day', term, excluded, {names}
            FROM scoring_hour, generate_series(1, %s) AS d WHERE disk_id = ANY(%s) ON CONFLICT DO NOTHING
            """,  # noqa: S608
            [before // DAY_S * DAY_S, days, disks],
        )


def month_of_a_disk(pool: list[bytes], disk: int) -> tuple[float, int]:
    """Seconds of CPU for 43,200 frames, and how many seconds they observed."""
    start = int(time.time()) // DAY_S * DAY_S - 31 * DAY_S
    rng = random.Random(3)
    for day in range(30):
        at = start + day * DAY_S
        keep(((disk, at + 60 * m, rng.choice(pool)) for m in range(1_440)), due=False)
    with told("a disk-month from frames") as cost:
        sums = sums_from_frames(disk, start, start + 30 * DAY_S, vantage=1)
    return cost["python"] + cost["database"], sums.observed_s


def month_of_a_fleet(disks: list[int], sample: int) -> tuple[float, int]:
    """Seconds (wall) for every disk's month; a month and a zone whose edges cut days, so that hours are read too."""
    period = Period(2026, 5, "Europe/Berlin")
    names = ", ".join(ROLLED)
    spans = (("scoring_day", "1 day", DAY_S), ("scoring_hour", "1 hour", 3_600))
    first = int(period.start.timestamp()) // DAY_S * DAY_S
    last = -(-int(period.end.timestamp()) // DAY_S) * DAY_S
    with connection.cursor() as cursor:
        for table, step, length in spans:
            # Hours only where the zone cuts a day: the others would lie there unread.
            edges = f"at < to_timestamp({first + DAY_S}) OR at >= to_timestamp({last - DAY_S})"
            where = "" if table == "scoring_day" else f"WHERE {edges}"
            times = f"generate_series(to_timestamp({first}), to_timestamp({last - length}), interval '{step}')"
            cursor.execute(
                f"""
                INSERT INTO {table} ({", ".join(KEY)}, {names})
                SELECT d, 1, at, term, false, {names}
                FROM (SELECT * FROM scoring_hour WHERE disk_id = %s ORDER BY start LIMIT 1) AS one,
                     unnest(%s::int8[]) AS d,
                     (SELECT at FROM {times} AS at {where}) AS t
                """,  # noqa: S608
                [sample, disks],
            )
        cursor.execute(
            """
            INSERT INTO scoring_disknow (disk_id, vantage, state, proved, rank, reasons, period, period_state, term,
                ios, eligible, slow, lost_ms, budget_total, grade, firing, updated_at, first_at, seen_at)
            SELECT d, 1, 6, true, 3, '{}', '', 6, 0, 0, 0, 0, 0, 0, 2, '{}', now(), '2026-01-01', now()
            FROM unnest(%s::int8[]) AS d
            """,
            [disks],
        )
        cursor.execute("VACUUM ANALYZE scoring_hour, scoring_day, scoring_disknow")
    walls = []
    for _ in range(3):
        with told(f"the month of {len(disks)} disks from days, and hours at its edges") as cost:
            month = fleet_month(period, datetime(2026, 7, 1, tzinfo=UTC), vantage=1, disks=disks)
        walls.append(cost["wall"])
    return sorted(walls)[1], len(month.disks)


def main() -> None:
    keep_freed_memory()  # as every worker does (sla/celery.py)
    call_command("migrate", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute(
            "TRUNCATE telemetry_frame, telemetry_dueslot, scoring_slot, scoring_hour, scoring_day, scoring_disknow"
        )
    say("making frames and disks")
    live_disks, term = fleet(LIVE_DISKS, "live")
    pool = bodies(term)
    answer: dict[str, Any] = {"slot_cpu_ms": round(live(pool, live_disks), 4)}
    (one,), _ = fleet(1, "month")
    cost, observed = month_of_a_disk(pool, one)
    answer |= {"disk_month_from_frames_s": round(cost, 3), "disk_month_observed_s": observed}
    many, _ = fleet(FLEET_DISKS, "fleet")
    wall, disks = month_of_a_fleet(many, live_disks[0])
    answer |= {"fleet_month_from_hours_s": round(wall, 3), "fleet_disks": disks}
    answer["peak_rss_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)
    answer["period_now"] = period_of(datetime.now(UTC)).text
    say(f"memory of this process: {psutil.Process().memory_info().rss / 2**20:.0f} MB")
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
