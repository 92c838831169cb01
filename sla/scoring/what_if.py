"""What would other terms have cost? A stored month under another contract: providers price an SLA with this.

From frames while they are kept (exact where the seconds' terms agree, else by whole seconds), else from hours: their
histograms and load, and then only as an estimate.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import psycopg

from sla.domain.contract import PPM, Contract
from sla.domain.credit import credit
from sla.domain.histogram import BUCKETS, UPPER_US
from sla.domain.period import Period
from sla.domain.states import State
from sla.domain.verdict import Part, Sums, breach_likely, breach_proved, met_proved, sli
from sla.fleet.vantage import Vantage
from sla.scoring import store
from sla.scoring.month import sums_from_frames
from sla.scoring.words import DIGITS, counts, three

# Hours read at once: a month of 25 disks, 18,000 rows of 0.4 KB.
DISKS_AT_ONCE = 25
PAIR_BYTES = 8
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class WhatIf:
    """One disk under other terms. `exact`: from frames; else an estimate from hours, which proves nothing."""

    disk: int
    sums: Sums
    exact: bool

    def said(self, contract: Contract) -> dict[str, Any]:
        """As plain data, with what it would have cost in per cent of the fee."""
        parts = [Part(contract.slow_ppm, self.sums)]
        attained = sli(parts)
        breached = breach_likely(parts)
        proved = self.exact and (breach_proved(parts) if breached else met_proved(parts))
        judged = self.sums.eligible >= contract.min_eligible
        state = State.NO_DATA if not judged else State.BREACHED if breached else State.MET
        owed = credit(attained, contract.credit_tiers, judged=judged)
        return {
            "disk": self.disk,
            "state": state.word,
            "proved": proved and judged,
            "source": "frames" if self.exact else "hours",
            "sli": three(attained)
            if self.exact
            else {"low": None, "estimate": three(attained)["estimate"], "high": None},
            "ios": self.sums.ios,
            "eligible": self.sums.eligible,
            "slow": counts(self.sums.slow_low, self.sums.slow, self.sums.slow_high),
            "credit": {
                "proved_percent": owed.proved_percent if self.exact else 0,
                "up_to_percent": owed.up_to_percent,
                "likely_percent": credit_of(self.sums, contract) if judged else 0,
            },
        }


def credit_of(sums: Sums, contract: Contract) -> int:
    """Per cent of the fee by the estimate alone."""
    share = sli([Part(contract.slow_ppm, sums)]).estimate
    return max(
        (percent for below, percent in contract.credit_tiers if share is not None and share * PPM < below), default=0
    )


def what_if_from_frames(
    disk_id: int, period: Period, contract: Contract, progress: Progress = lambda done, all_: None
) -> WhatIf:
    """A disk's month from its frames."""
    start, end = int(period.start.timestamp()), int(period.end.timestamp())
    side = int(Vantage.of(contract.vantage))
    return WhatIf(
        disk_id, sums_from_frames(disk_id, start, end, vantage=side, contract=contract, progress=progress), True
    )


def what_if_from_hours(
    disks: Sequence[int], period: Period, contract: Contract, progress: Progress = lambda done, all_: None
) -> Iterator[WhatIf]:
    """Disks' months from their hours, some at a time, whatever their number in constant memory."""
    start, end = int(period.start.timestamp()), int(period.end.timestamp())
    side = int(Vantage.of(contract.vantage))
    for first in range(0, len(disks), DISKS_AT_ONCE):
        some = list(disks[first : first + DISKS_AT_ONCE])
        with store.reading() as cursor:
            rows = _hours(cursor, some, start, end, side)
        yield from judge_hours(some, rows, contract)
        progress(min(first + DISKS_AT_ONCE, len(disks)), len(disks))


def _hours(cursor: "psycopg.Cursor[tuple]", disks: list[int], start: int, end: int, side: int) -> list[tuple[Any, ...]]:
    return cursor.execute(
        f"""
        SELECT disk_id, observed_s, read_ios, write_ios, (read_bytes + write_bytes)::int8, (read_ms + write_ms)::int8,
               lost_ms, hist
        FROM scoring_hour WHERE disk_id = ANY(%s) AND vantage = {side} AND NOT excluded
          AND start >= to_timestamp({start}) AND start < to_timestamp({end})
        """,  # noqa: S608
        [disks],
        binary=True,
    ).fetchall()


def judge_hours(disks: Sequence[int], rows: Sequence[tuple[Any, ...]], contract: Contract) -> Iterator[WhatIf]:
    """Hours under a contract: of an hour's I/Os at most C units a second are covered, of which as many are slow as its
    histogram says; where it queued beyond `depth` on the mean, what is over the cap waits first and is excess."""
    figures = np.array([row[:7] for row in rows], np.int64).reshape(-1, 7)
    slow_share = slow_shares([row[7] or b"" for row in rows], min(contract.thresholds_us))
    disk, observed_s, ios, size = figures[:, 0], figures[:, 1], figures[:, 2] + figures[:, 3], figures[:, 4]
    units = np.maximum(ios, -(-size // contract.io_unit_bytes))
    most = contract.iops * observed_s
    covered = np.where(units > most, ios * most // np.maximum(units, 1), ios)
    slow_all = np.rint(slow_share * ios).astype(np.int64)
    waiting = figures[:, 5] > contract.depth * observed_s * 1000
    slow = np.where(waiting, np.maximum(0, slow_all - (ios - covered)), np.rint(slow_share * covered).astype(np.int64))
    slow = np.minimum(slow, covered)
    lost = figures[:, 6]
    for one in sorted(disks):
        mine = disk == one
        seen, done, fits, late, gone = (int(v[mine].sum()) for v in (observed_s, ios, covered, slow, lost))
        yield WhatIf(one, Sums(seen, done, fits, fits, fits, late, late, late, gone), exact=False)


def slow_shares(packed: Sequence[bytes], threshold_us: int) -> "np.ndarray":
    """Of each stored histogram the share of I/Os at or over the threshold; 0 where it is empty."""
    pairs = np.frombuffer(b"".join(packed), "<u4").reshape(-1, 2)
    row = np.repeat(np.arange(len(packed)), [len(one) // PAIR_BYTES for one in packed])
    position, count = pairs[:, 0], pairs[:, 1].astype(np.float64)
    # Bucket b ends at UPPER_US[b]: those that end above the threshold hold the slow ones (an edge is exact).
    over = (UPPER_US[position] > threshold_us) | (position == BUCKETS - 1)
    total = np.bincount(row, weights=count, minlength=len(packed))
    slow = np.bincount(row[over], weights=count[over], minlength=len(packed))
    return np.divide(slow, total, out=np.zeros(len(packed)), where=total > 0)


def summary(found: Sequence[WhatIf], contract: Contract, fees_cents: dict[int, int] | None = None) -> dict[str, Any]:
    """All disks together: how many would have been breached, and what it would have cost."""
    said = [one.said(contract) for one in found]
    fees = fees_cents or {}
    return {
        "contract": contract.text,
        "disks": len(said),
        "breached": sum(one["state"] == State.BREACHED.word for one in said),
        "met": sum(one["state"] == State.MET.word for one in said),
        "no_data": sum(one["state"] == State.NO_DATA.word for one in said),
        "credit_percent_mean": ratio_mean([one["credit"]["likely_percent"] for one in said]),
        "credit_likely_cents": sum(fees.get(o["disk"], 0) * o["credit"]["likely_percent"] // 100 for o in said),
        "items": said,
    }


def ratio_mean(values: Sequence[int]) -> float:
    """A plain mean of per cents, 0 for none."""
    return round(sum(values) / len(values), DIGITS) if values else 0.0
