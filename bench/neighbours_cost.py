"""What does one more minute of 10,000 disks cost? The real service on a real database, its CPU and the database's.

200 pools of 50 disks, three hours followed already, then minute after minute: slots are put where the scorer puts
them, and `detect_due` is called as Celery calls it. Learning a pool anew, twice a day, is measured apart and its share
of a minute added.
"""

import os
import sys
import time
from datetime import UTC, datetime

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "sla.settings")
django.setup()

import numpy as np  # noqa: E402  Django must be set up before its parts are imported
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from bench.cpu import database_cpu_s  # noqa: E402
from sla.accounts.models import Customer  # noqa: E402
from sla.contracts.services import ensure_default_contract  # noqa: E402
from sla.fleet.models import Disk, Machine, Pool  # noqa: E402
from sla.neighbours import baselines, services  # noqa: E402
from sla.neighbours.follow import HOURS_S  # noqa: E402

POOLS, DISKS = 200, 50
WARM_MINUTES, MINUTES, STORMY = HOURS_S // 60 + 5, 5, 3
ZERO = (
    *("term", "reason", "fine_ms", "queue_ms", "in_flight", "eligible_low", "eligible", "eligible_high", "slow_low"),
    *("slow", "slow_high", "lost_ms", "gap_ios", "gap_ms", "first_boot", "last_boot"),
    *("write_ios", "write_bytes", "write_ms"),
)


def cost(pools: int = POOLS) -> dict[str, float]:
    """CPU seconds a minute, its parts, and how often a day a pool is learnt."""
    call_command("migrate", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute(
            """
            TRUNCATE scoring_slot, scoring_disknow, neighbours_poolminute, neighbours_poolbaseline,
                neighbours_poolstate, neighbours_neighbourwindow, neighbours_windowdisk
            """
        )
        # Pools of a run before this one are nobody's.
        cursor.execute("SELECT id FROM fleet_pool WHERE name LIKE 'bench-%'")
        gone = [pool for (pool,) in cursor.fetchall()]
        cursor.execute("UPDATE fleet_disk SET pool_id = NULL WHERE pool_id = ANY(%s)", [gone])
        cursor.execute("DELETE FROM fleet_pool WHERE id = ANY(%s)", [gone])
    baselines.forget_all()
    disks = _fleet(pools)
    now = int(time.time()) // 60 * 60
    begin = now - 60 * WARM_MINUTES
    rng = np.random.default_rng(5)
    usual = rng.uniform(0.5, 6.0, len(disks))
    _slots(disks, usual, rng, begin, WARM_MINUTES)
    _seen(disks, now)
    print(f"{len(disks)} disks, {WARM_MINUTES} minutes behind them", file=sys.stderr)
    before, base = time.process_time(), database_cpu_s()
    while _detect_at(now + 5):
        pass
    caught_up = time.process_time() - before + database_cpu_s() - base
    print(f"followed them: {caught_up:.1f} s CPU, three times learnt in it", file=sys.stderr)
    learn_s = _learning(now)
    costs = []
    for minute in range(MINUTES + STORMY):
        if minute == MINUTES:
            usual[: len(disks) // 10] *= 2.5  # a tenth of the pools is contended from here on
        _slots(disks, usual, rng, now + 60 * minute, 1)
        _seen(disks, now + 60 * (minute + 1))
        before, base = time.process_time(), database_cpu_s()
        done = _detect_at(now + 60 * (minute + 1) + 5)
        mine, its = time.process_time() - before, database_cpu_s() - base
        print(f"minute {minute}: {done} pool minutes, python {mine:.2f}, database {its:.2f} s CPU", file=sys.stderr)
        costs.append((mine, its))
    mine, its = (float(np.median([one[place] for one in costs[:MINUTES]])) for place in (0, 1))
    learning = learn_s * pools * (86_400 / baselines.OLD_S) / 1_440
    return {
        "cpu_s_per_minute_10000_disks": round((mine + its + learning) * 200 / pools, 3),
        "python_s": round(mine, 3),
        "database_s": round(its, 3),
        "learning_share_s": round(learning, 3),
        "a_tenth_contended_s": round(max(sum(one) for one in costs[MINUTES:]) + learning, 3),
        "disks": len(disks),
    }


def _detect_at(now: int) -> int:
    """As if it were that time."""
    kept = services.timezone.now
    services.timezone.now = lambda: datetime.fromtimestamp(now, UTC)  # type: ignore[assignment]
    try:
        return services.detect_due(budget_s=600).pool_minutes
    finally:
        services.timezone.now = kept  # type: ignore[assignment]


def _learning(now: int) -> float:
    """CPU of learning one pool from a whole week of its minutes, as it is after the first week."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT min(pool_id) FROM neighbours_poolminute")
        pool = cursor.fetchone()[0]
        # The hours that there are, over and over.
        cursor.execute(
            """
            INSERT INTO neighbours_poolminute (pool_id, start, disks, figures, signal, over, drift, calm)
            SELECT pool_id, start - back * %s * interval '1 minute', disks, figures, signal, over, drift, calm
            FROM neighbours_poolminute, generate_series(1, %s) AS back WHERE pool_id = %s
            """,
            [WARM_MINUTES, 10_080 // WARM_MINUTES, pool],
        )
    with services.transacting() as cursor:
        before, base = time.process_time(), database_cpu_s()
        baselines.learn_at(cursor, pool, now)
        spent = time.process_time() - before + database_cpu_s() - base
        cursor.execute(
            "DELETE FROM neighbours_poolminute WHERE pool_id = %s AND start < to_timestamp(%s)",
            [pool, now - 60 * WARM_MINUTES],
        )
    print(f"learning a week of one pool: {spent:.2f} s CPU", file=sys.stderr)
    return spent


def _fleet(pools: int) -> list[int]:
    """Pools of fifty disks each; ids of the disks, pool by pool."""
    ensure_default_contract()
    customer, _ = Customer.objects.get_or_create(name="bench-neighbours")
    stamp = time.time_ns()
    made = Pool.objects.bulk_create([Pool(name=f"bench-{stamp}-{number}") for number in range(pools)])
    machine = Machine.objects.create(customer=customer, machine_id=f"bench-{stamp}", hostname="bench")
    disks = Disk.objects.bulk_create(
        [
            Disk(machine=machine, identity=f"serial:{pool.pk}-{place}", device=f"vd{place}", serial="", pool=pool)
            for pool in made
            for place in range(DISKS)
        ],
        batch_size=5_000,
    )
    return [disk.pk for disk in disks]


def _slots(disks: list[int], usual: np.ndarray, rng: np.random.Generator, start: int, minutes: int) -> None:
    """Slots of all disks over these minutes, an hour at a time."""
    for part in range(0, minutes, 60):
        count = min(60, minutes - part)
        ios = rng.poisson(6_000, (count, len(disks)))
        took = (ios * usual * rng.lognormal(0, 0.1, ios.shape)).astype(int)
        with connection.cursor() as cursor:
            cursor.execute(
                f"""
                INSERT INTO scoring_slot (disk_id, vantage, start, read_ios, read_bytes, read_ms,
                    excluded, state, proved, grade, observed_s, hist, {", ".join(ZERO)})
                SELECT d, 1, to_timestamp(t), i, i::int8 * 16384, m, false, 1, true, 1, 60, '',
                    {", ".join("0" for _ in ZERO)}
                FROM unnest(%s::int[], %s::int8[], %s::int[], %s::int[]) AS given (d, t, i, m)
                """,  # noqa: S608
                [
                    disks * count,
                    np.repeat(start + 60 * (part + np.arange(count)), len(disks)).tolist(),
                    ios.ravel().tolist(),
                    took.ravel().tolist(),
                ],
            )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE scoring_slot")


def _seen(disks: list[int], until: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO scoring_disknow (disk_id, vantage, state, proved, rank, reasons, period, period_state, term,
                ios, eligible, slow, lost_ms, budget_total, grade, firing, updated_at, seen_at)
            SELECT d, 1, 6, true, 3, '{}', '', 6, 0, 0, 0, 0, 0, 0, 2, '{}', now(), to_timestamp(%s)
            FROM unnest(%s::int8[]) AS d ON CONFLICT (disk_id) DO UPDATE SET seen_at = EXCLUDED.seen_at
            """,
            [until, disks],
        )
