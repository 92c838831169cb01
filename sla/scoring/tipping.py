"""Where is the knee of this disk? Its minutes by load, from the slots' table."""

from typing import Any

from sla.domain.contract import Contract
from sla.domain.tipping import BINS_PER_E, Point, crossing, disks_needed
from sla.scoring import store
from sla.scoring.selectors import current_term, vantage_of
from sla.scoring.terms import contract_of

DAY_S = 86_400
MAX_DAYS = 90
# Minutes that were half observed or hardly used say little about latency at a load.
_BINS = f"""
SELECT sum(read_ios + write_ios)::float8 / sum(observed_s),
       sum(read_ms + write_ms)::float8 / sum(read_ios + write_ios),
       percentile_cont(0.5) WITHIN GROUP (ORDER BY p99_us) / 1000,
       count(*),
       count(*) FILTER (WHERE read_ms + write_ms >= %s::float8 * (read_ios + write_ios))
FROM scoring_slot
WHERE disk_id = %s AND vantage = %s AND start >= to_timestamp(%s) AND start < to_timestamp(%s)
  AND observed_s >= 30 AND read_ios + write_ios >= observed_s AND NOT excluded
GROUP BY floor(ln((read_ios + write_ios)::float8 / observed_s) * {BINS_PER_E})
ORDER BY 1
"""  # noqa: S608  a constant of ours


def tipping_point(disk_id: int, now: float, days: int = 7, load_iops: float | None = None) -> dict[str, Any]:
    """Points of load, mean and p99 latency; where mean and p99 cross the contract's threshold; disks for a load.

    `knee` figures are None where the disk was not driven that far. ValueError for days outside 1 … 90 or load ≤ 0.
    """
    if not 1 <= days <= MAX_DAYS:
        raise ValueError(f"days is {days}: it must be 1 to {MAX_DAYS}")
    if load_iops is not None and load_iops <= 0:
        raise ValueError(f"load is {load_iops:g}: it must be above 0 I/Os a second")
    vantage = vantage_of(disk_id)
    term = current_term(disk_id)
    contract = contract_of(term) if term else None
    threshold_ms = min(contract.thresholds_us) / 1000 if contract else None
    with store.reading() as cursor:
        rows = cursor.execute(_BINS, [threshold_ms, disk_id, vantage, now - days * DAY_S, now]).fetchall()
    return _said(rows, contract, days, load_iops)


def _said(rows: list[tuple], contract: Contract | None, days: int, load_iops: float | None) -> dict[str, Any]:
    threshold_ms = min(contract.thresholds_us) / 1000 if contract else None
    means = [Point(iops, mean, minutes) for iops, mean, _, minutes, _ in rows]
    tails = [Point(iops, p99, minutes) for iops, _, p99, minutes, _ in rows if p99 is not None]
    mean_at = crossing(means, threshold_ms) if threshold_ms else None
    p99_at = crossing(tails, threshold_ms) if threshold_ms else None
    knee = p99_at or mean_at
    return {
        "days": days,
        "minutes": sum(row[3] for row in rows),
        # Slow at a load that it otherwise carried in time: whatever made it slow, it was not its own load.
        "minutes_over": sum(row[4] for row in rows) if threshold_ms else None,
        "points": [
            {
                "iops": round(iops, 1),
                "await_ms": round(mean, 3),
                "p99_ms": None if p99 is None else round(p99, 3),
                "minutes": minutes,
            }
            for iops, mean, p99, minutes, _ in rows
        ],
        "threshold_ms": threshold_ms,
        "contract_iops": contract.iops if contract else None,
        "highest_iops": round(rows[-1][0], 1) if rows else None,
        "knee": {"mean_iops": _cut(mean_at), "p99_iops": _cut(p99_at)},
        "disks_needed": None if load_iops is None or not knee else disks_needed(load_iops, knee),
        "by": "load spread evenly over equal disks: simple striping arithmetic, no measurement",
    }


def _cut(iops: float | None) -> float | None:
    """A capacity is cut, never rounded up."""
    return None if iops is None else int(iops * 10) / 10
