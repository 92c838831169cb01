"""What is known of a disk? Reads for API and pages: slots, seconds, a period's score, how it stands now.

Who may see a disk is decided before (`disks_visible_to`). Moments are Unix seconds; answers are plain dicts.
"""

from datetime import UTC, datetime
from typing import Any

import numpy as np

from sla.domain.evidence import MINUTE_S, UNKNOWN, known
from sla.domain.states import Case, Grade, State
from sla.fleet.models import Disk
from sla.fleet.vantage import Vantage
from sla.scoring import store
from sla.scoring.models import DiskNow
from sla.scoring.settle import Batch, judge_minutes
from sla.scoring.terms import assigned_to, contract_of, term_at
from sla.scoring.words import second_item, slot_item

# A day of minutes is 1,440 rows; 40 days fit an answer, longer spans are for hours and days.
MAX_SLOTS = 40 * 1_440
# Seconds are read from frames: two hours of them in one answer.
MAX_SECONDS_S = 7_200
NAMES = tuple(name for name in store.SLOT_COLUMNS if name != "hist")


class SpanTooLong(ValueError):
    """More was asked for than one answer holds; the message says how much it may be."""


def current_term(disk_id: int, at: float | None = None) -> int:
    """The contract version that judges the disk at a moment (now); the last one it had, where none does; 0."""
    with store.reading() as cursor:
        assigned = assigned_to(cursor, [disk_id]).get(disk_id, [])
    moment = datetime.now(UTC).timestamp() if at is None else at
    return term_at(assigned, moment) or (assigned[-1].term if assigned else 0)


def vantage_of(disk_id: int, vantage: str | None = None) -> int:
    """A vantage's number; without a word the contract's own. KeyError for a word that is none."""
    if vantage is not None:
        return int(Vantage.of(vantage))
    term = current_term(disk_id)
    return int(Vantage.of(contract_of(term).vantage)) if term else int(Vantage.GUEST)


def slot_rows(disk_id: int, start: int, end: int, vantage: int) -> list[dict[str, Any]]:
    """Rows of the slots' table over [start, end), `start` in Unix seconds, without histograms."""
    if end - start > MAX_SLOTS * MINUTE_S:
        raise SpanTooLong(f"{(end - start) // MINUTE_S} minutes asked for: one answer holds {MAX_SLOTS}, ask for less")
    columns = ", ".join("extract(epoch FROM start)::int8" if name == "start" else name for name in NAMES)
    with store.reading() as cursor:
        rows = cursor.execute(
            f"SELECT {columns} FROM scoring_slot WHERE disk_id = %s AND vantage = %s "  # noqa: S608
            f"AND start >= to_timestamp({int(start)}) AND start < to_timestamp({int(end)}) ORDER BY start",
            [disk_id, vantage],
            binary=True,
        ).fetchall()
    return [dict(zip(NAMES, row, strict=True)) for row in rows]


def slots(disk_id: int, start: int, end: int, vantage: str | None = None) -> list[dict[str, Any]]:
    """Items of `GET /api/v1/disks/{id}/slots`. SpanTooLong over 40 days."""
    return [slot_item(row) for row in slot_rows(disk_id, start, end, vantage_of(disk_id, vantage))]


def batch_of(disk_id: int, start: int, end: int, vantage: int) -> Batch | None:
    """The frames of whole minutes that touch [start, end), scored but not stored."""
    minutes = range(start // MINUTE_S * MINUTE_S, end, MINUTE_S)
    with store.reading() as cursor:
        return judge_minutes(cursor, [(disk_id, vantage, minute) for minute in minutes]) if minutes else None


def seconds(disk_id: int, start: int, end: int, vantage: str | None = None) -> list[dict[str, Any]]:
    """Items of `GET /api/v1/disks/{id}/seconds`: one a step (a second, but for imports), from the frames themselves."""
    if end - start > MAX_SECONDS_S:
        raise SpanTooLong(f"{end - start} seconds asked for: one answer holds {MAX_SECONDS_S}, ask for less")
    batch = batch_of(disk_id, start, end, vantage_of(disk_id, vantage))
    return [item for item in second_items(batch) if start <= item["t"] < end] if batch else []


def second_items(batch: Batch) -> list[dict[str, Any]]:
    """Every step of a batch, in order of slot and time."""
    e, steps = batch.evidence, batch.steps
    time_ms = np.where(steps.observed, known(e.columns["read_ms"]) + known(e.columns["write_ms"]), 0)
    queue = e.columns["queue_ms"]
    queue_ms = np.where(steps.observed & (queue != UNKNOWN), queue, time_ms)
    items = []
    for frame in range(e.frames):
        minute, step_s = batch.judged[e.slot[frame]].key[2], int(e.step_s[frame])
        for place in range(int(e.n[frame])):
            at = (frame, place)
            t = minute + int(e.offset_s[frame]) + place * step_s
            items.append(second_item(t, step_s, steps, at, int(time_ms[at]), int(queue_ms[at])))
    return items


def cases(batch: Batch) -> dict[str, int]:
    """How many seconds of a batch were what."""
    seconds_of = (batch.steps.case[..., None] == np.array([case.value for case in Case])).sum(axis=1)
    inside = (np.arange(MINUTE_S) >= batch.evidence.n[:, None]).sum(axis=1)
    seconds_of[:, list(Case).index(Case.UNKNOWN)] -= inside
    total = (seconds_of * batch.evidence.step_s[:, None]).sum(axis=0)
    return {case.word: int(count) for case, count in zip(Case, total, strict=True) if count}


def standing(now: DiskNow) -> dict[str, Any]:
    """How a disk stands, with the keys of the list of disks and what its page shows besides."""
    return {
        "state": State(now.state).word,
        "proved": now.proved,
        "reasons": now.reasons,
        "sli": {"low": now.sli_low, "estimate": now.sli_estimate, "high": now.sli_high},
        "budget_left_ratio": now.budget_left_estimate,
        "budget_left": {
            "low": now.budget_left_low,
            "estimate": now.budget_left_estimate,
            "high": now.budget_left_high,
        },
        "budget_total": now.budget_total,
        "slow": now.slow,
        "eligible": now.eligible,
        "excess": now.ios - now.eligible,
        "lost_s": now.lost_ms / 1000,
        "coverage": now.coverage,
        "grade": Grade(now.grade).name,
        "period": now.period,
        "period_state": State(now.period_state).word,
        "firing": now.firing,
        "burn_rate": now.burn_rate,
        "acute_at": now.acute_at.timestamp() if now.acute_at else None,
        "seen_at": int(now.seen_at.timestamp()) if now.seen_at else None,
        "slot_start": int(now.slot_start.timestamp()) if now.slot_start else None,
        "await_ms": now.await_ms,
        "iops": now.iops,
        "aqu_sz": now.aqu_sz,
    }


NOTHING_YET = {
    "state": State.NO_DATA.word,
    "proved": True,
    "sli": {"low": None, "estimate": None, "high": None},
    "budget_left_ratio": None,
    "seen_at": None,
}


def disk_item(disk: Disk) -> dict[str, Any]:
    """An item of `GET /api/v1/disks`. The disk comes joined with machine, customer, pool and `now`."""
    now = getattr(disk, "now", None)
    term = now.term if now and now.term else 0
    stands = standing(now) if now else NOTHING_YET
    return {
        "id": disk.pk,
        "device": disk.device,
        "serial": disk.serial or None,
        "machine": disk.machine.hostname,
        "customer": disk.machine.customer.name,
        "pool": disk.pool.name if disk.pool else None,
        "contract": contract_of(term).text if term else None,
        **{name: stands[name] for name in ("state", "proved", "sli", "budget_left_ratio", "seen_at")},
    }


def disk_detail(disk: Disk) -> dict[str, Any]:
    """`GET /api/v1/disks/{id}`: the item and how the disk stands."""
    now = getattr(disk, "now", None)
    return {**disk_item(disk), "wwn": disk.wwn or None, "size_bytes": disk.size_bytes, **(standing(now) if now else {})}
