"""How is a month of a disk made up? Minutes with every kind of trouble, judged by the domain, copied into the tables.

What a benchmark of statements and their tests read: thousands of minutes a second, and still each minute's word is
what its figures make it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

import numpy as np

from sla.domain.contract import Contract
from sla.domain.evidence import UNKNOWN, Bools, Ints
from sla.domain.slot import Slots, judge
from sla.domain.states import Grade, Reason
from sla.scoring import store
from sla.scoring.columns import KEY, ROLLED, sums_of_roll_ups, sums_of_slots
from sla.scoring.store import SLOT_COLUMNS, Judged

MINUTE_S = 60


@dataclass(frozen=True, slots=True)
class Story:
    """A disk's habits: load a second, share of slow requests, and how often which trouble comes."""

    iops: int
    slow_ratio: float
    bad_ratio: float = 0.0  # of the minutes are slow through and through
    bad_slow: float = 0.4
    lost_ratio: float = 0.0  # of the minutes lose time
    gap_ratio: float = 0.0  # of the minutes were not observed
    idle_ratio: float = 0.0
    excess_ratio: float = 0.0  # of the minutes are over the contract as a whole
    doubt: float = 0.15  # how wide the proof is, of the slow ones


GOOD = Story(180, 0.0018, excess_ratio=0.01)
QUIET = Story(20, 0.0004, idle_ratio=0.7)
EDGE = Story(420, 0.0086, bad_ratio=0.0005, doubt=0.5)
BROKEN = Story(310, 0.004, bad_ratio=0.045)
STALLING = Story(260, 0.002, lost_ratio=0.03)
PATCHY = Story(150, 0.002, gap_ratio=0.12)
FLOODED = Story(1400, 0.001, excess_ratio=0.97)
STORIES = (GOOD, GOOD, QUIET, GOOD, EDGE, GOOD, BROKEN, GOOD, STALLING, PATCHY, GOOD, FLOODED)


def minutes_of(
    story: Story, contract: Contract, count: int, excluded: Bools, rng: "np.random.Generator", phase: float = 0.0
) -> tuple[Slots, Bools]:
    """So many minutes as slots, and which of them exist at all (what nobody looked at has no slot)."""
    swing = 1 + 0.45 * np.sin(np.arange(count) / 1440 * 2 * np.pi + phase)
    ios = rng.poisson(story.iops * MINUTE_S * swing).astype(np.int64)

    def happens(ratio: float) -> Bools:
        """In stretches of about twenty minutes, as trouble comes."""
        seeds = rng.random(count // 20 + 1) < ratio
        return np.repeat(seeds, 20)[:count]

    idle, bad, lost, over = (
        happens(r) for r in (story.idle_ratio, story.bad_ratio, story.lost_ratio, story.excess_ratio)
    )
    ios = np.where(idle, 0, ios)
    reads = (ios * 0.42).astype(np.int64)
    covered = np.where(over, ios // 40, ios)
    slow = rng.binomial(covered, np.where(bad, story.bad_slow, story.slow_ratio)).astype(np.int64)
    spread = np.ceil(slow * story.doubt).astype(np.int64)
    low, high = np.maximum(0, slow - spread), np.minimum(covered, slow + spread)
    slack = (ios - covered) // 20
    eligible = (np.maximum(0, covered - slack), covered, np.minimum(ios, covered + slack))
    slow_low, slow_high = np.minimum(low, eligible[2]), np.minimum(high, eligible[2])
    lost_ms = np.where(lost, rng.integers(400, 9_000, count), 0).astype(np.int64)
    observed = np.full(count, MINUTE_S, np.int64)
    slow_ppm = np.full(count, contract.slow_ppm, np.int64)
    nothing = np.zeros(count, np.int64)
    state, proved = judge(slow_ppm, excluded, observed, ios, nothing, lost_ms, eligible, (slow_low, slow, slow_high))
    total_ms = np.where(bad, ios * 14, ios * 2)
    unknown = np.full(count, UNKNOWN, np.int64)
    given: dict[str, Ints | Bools] = {
        "observed_s": observed,
        "read_ios": reads,
        "write_ios": ios - reads,
        "read_bytes": reads * 16_384,
        "write_bytes": (ios - reads) * 8_192,
        "read_ms": total_ms // 3,
        "write_ms": total_ms - total_ms // 3,
        "queue_ms": total_ms,
        "eligible_low": eligible[0],
        "eligible": eligible[1],
        "eligible_high": eligible[2],
        "slow_low": slow_low,
        "slow": slow,
        "slow_high": slow_high,
        "lost_ms": lost_ms,
        "state": state,
        "proved": proved,
        "reason": np.full(count, Reason.NONE, np.int64),
        "grade": np.full(count, Grade.B, np.int64),
        "fine_ms": np.full(count, 100, np.int64),
        "hist": np.zeros((count, 1), np.int64),
        **dict.fromkeys(("p50_us", "p95_us", "p99_us", "first_ios", "first_ms", "last_ios", "last_ms"), unknown),
    }
    seen = ~happens(story.gap_ratio)
    return Slots(**{each.name: given.get(each.name, nothing) for each in fields(Slots)}), seen


def copy_minutes(disk: int, term: int, start: int, slots: Slots, seen: Bools, excluded: Bools, vantage: int = 1) -> int:
    """Minutes of one disk into the table; how many."""
    kept = np.flatnonzero(seen)
    judged = [Judged((disk, vantage, start + MINUTE_S * at), term, bool(excluded[at])) for at in kept.tolist()]
    cut = Slots(**{each.name: getattr(slots, each.name)[kept] for each in fields(Slots)})
    with (
        store.transacting() as cursor,
        cursor.copy(f"COPY scoring_slot ({', '.join(SLOT_COLUMNS)}) FROM STDIN") as copy,
    ):
        copy.write(store.slot_lines(judged, cut, [(0, 0)] * len(judged)))
    return len(judged)


def roll_up(disks: Sequence[int]) -> None:
    """Hours and days of everything these disks have, histograms left empty."""
    names = ", ".join((*KEY, *ROLLED))
    with store.transacting() as cursor:
        for table, source, grain, sums in (
            ("scoring_hour", "scoring_slot", "hour", sums_of_slots()),
            ("scoring_day", "scoring_hour", "day", sums_of_roll_ups()),
        ):
            cursor.execute(f"DELETE FROM {table} WHERE disk_id = ANY(%s)", [list(disks)])  # noqa: S608
            cursor.execute(
                f"INSERT INTO {table} ({names}) SELECT disk_id, vantage, date_trunc('{grain}', start, 'UTC') AS at, "  # noqa: S608
                f"term, excluded, {sums} FROM {source} WHERE disk_id = ANY(%s) GROUP BY 1, 2, 3, 4, 5",
                [list(disks)],
            )


def stand(disks: Iterable[int], first: int, last: int, vantage: int = 1) -> None:
    """When these disks were first and last seen."""
    with store.transacting() as cursor:
        cursor.execute(
            """
            INSERT INTO scoring_disknow (disk_id, vantage, state, proved, rank, reasons, period, period_state, term,
                ios, eligible, slow, lost_ms, budget_total, grade, firing, updated_at, first_at, seen_at)
            SELECT d, %s, 6, true, 3, '{}', '', 6, 0, 0, 0, 0, 0, 0, 2, '{}', now(), to_timestamp(%s), to_timestamp(%s)
            FROM unnest(%s::int8[]) AS d
            ON CONFLICT (disk_id) DO UPDATE SET first_at = EXCLUDED.first_at, seen_at = EXCLUDED.seen_at
            """,
            [vantage, first, last, list(disks)],
        )
