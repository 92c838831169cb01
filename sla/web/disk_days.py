"""What does the bar of days show? A word a day of UTC, and what share was answered in time."""

from typing import Any

from sla.fleet.models import Disk
from sla.scoring.days import last_days
from sla.scoring.selectors import vantage_of
from sla.scoring.store import DAY_S
from sla.web.fleet_rows import cut

DIGITS = 3


def days_bar(disk: Disk, now: float) -> dict[str, Any]:
    """State, proof and both ends of the share in percent, cut; a list each, oldest first."""
    stands = getattr(disk, "now", None)
    first_at = stands.first_at.timestamp() if stands and stands.first_at else None
    days = last_days(disk.pk, vantage_of(disk.pk), now, first_at)
    return {
        "start": days[0].start,
        "step_s": DAY_S,
        "states": [day.state.word if day.state else None for day in days],
        "proved": [day.proved for day in days],
        "low": [cut(day.low, DIGITS) for day in days],
        "high": [cut(day.high, DIGITS) for day in days],
    }
