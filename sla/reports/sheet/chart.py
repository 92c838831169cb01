"""How did the month go, day by day? Slow requests of each day against what the objective allowed it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from sla.reports.sheet import words

PPM = 10**6
# Bars are cut at so many times the allowance; how high a cut one was stands above it.
TOP = 2.0
NUMBERED = 2


@dataclass(slots=True)
class DayTotal:
    """A day's slow requests and what was allowed, in millionths; whether anybody looked."""

    slow: int = 0
    allowed_ppm: int = 0
    observed_s: int = 0
    lost_ms: int = 0
    excluded_s: int = 0


def days_of(disks: Iterable[dict[str, Any]], contracts: Sequence[dict[str, Any]]) -> dict[int, DayTotal]:
    """Days of these disks, each disk's by its own objective. A row of a day is in the order of the document."""
    objectives = {one["term"]: PPM - one["objective_ppm"] for one in contracts}
    found: dict[int, DayTotal] = defaultdict(DayTotal)
    for disk in disks:
        for start, _ios, eligible, slow, lost_ms, observed_s, excluded_s, _breached in disk["days"]:
            day = found[start]
            day.slow += slow
            day.allowed_ppm += objectives.get(term_at(disk, start), 0) * eligible
            day.observed_s += observed_s
            day.lost_ms += lost_ms
            day.excluded_s += excluded_s
    return dict(found)


def term_at(disk: dict[str, Any], start: int) -> int | None:
    """The version that judged a day when it began; the section's own where none did yet."""
    for one in disk["assigned"]:
        if (one["from"] is None or one["from"] <= start) and (one["until"] is None or start < one["until"]):
            return int(one["term"])
    return disk["term"]  # type: ignore[no-any-return]


def bars(days: dict[int, DayTotal], zone: str) -> list[dict[str, Any]]:
    """A bar a day: its height in allowances, None where there was nothing to judge."""
    made = []
    for start in sorted(days):
        day = days[start]
        burn = day.slow * PPM / day.allowed_ppm if day.allowed_ppm else None
        made.append(
            {
                "label": f"{words.local(start, zone):%-d}",
                "burn": None if burn is None else min(burn, TOP),
                "over": bool(burn is not None and burn > 1),
                "cut": "",
                "high": burn or 0.0,
                "seen": day.observed_s > 0,
                "excluded": day.excluded_s > 0,
            }
        )
    # How high the highest are that were cut: a number on each would be a grey line of numbers.
    for one in sorted(made, key=lambda one: -one["high"])[:NUMBERED]:
        if one["high"] > TOP:
            one["cut"] = f"{words.whole(int(one['high']))}×"
    return made


def month_chart(days: dict[int, DayTotal], zone: str) -> dict[str, Any] | None:
    """The chart of the first page; None where no day has data."""
    made = bars(days, zone)
    if not made:
        return None
    over = sum(one["over"] for one in made)
    told = {"over": over, "days": len(made)}
    return {
        "title": gettext("Slow requests by day, against what the objective allows"),
        "bars": made,
        "top": TOP,
        "allowed": gettext("allowed"),
        "legend": [
            [kind, word]
            for kind, word, shown in (
                ("excluded", gettext("maintenance taken out"), any(one["excluded"] for one in made)),
                ("unseen", gettext("not observed"), any(not one["seen"] for one in made)),
            )
            if shown
        ],
        "alt": gettext("Bars of %(days)s days; on %(over)s of them more requests were slow than the objective allows.")
        % told,
    }
