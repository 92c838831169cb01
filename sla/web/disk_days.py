"""What does the bar of days show? A word a day of UTC, and what share was answered in time."""

from collections.abc import Sequence
from typing import Any

from sla.scoring.days import Day
from sla.scoring.store import DAY_S
from sla.web.fleet_rows import cut

DIGITS = 3


def days_bar(days: Sequence[Day]) -> dict[str, Any]:
    """State, proof and both ends of the share in percent, cut; a list each, oldest first."""
    return {
        "start": days[0].start,
        "step_s": DAY_S,
        "states": [day.state.word if day.state else None for day in days],
        "proved": [day.proved for day in days],
        "low": [cut(day.low, DIGITS) for day in days],
        "high": [cut(day.high, DIGITS) for day in days],
    }
