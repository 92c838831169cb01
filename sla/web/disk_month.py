"""Where do the figures of a disk's month come from? Their formulas, and the minutes that cost most."""

from datetime import UTC, datetime
from typing import Any

from sla.fleet.models import Disk
from sla.scoring.explain import explain_period
from sla.web.disk_range import MINUTE_S, stamp
from sla.web.disk_words import cut_percent, month_name, readable

NAMES = {"sli.low": "attained, at least", "sli.estimate": "attained, by estimate", "sli.high": "attained, at most"}
MOST = 12
DIGITS = 4


def month(disk: Disk, at: datetime, period: str = "") -> dict[str, Any]:
    """A month ("": the open one) laid out: figures with formulas, what was left out, the worst minutes and where they
    are."""
    now = getattr(disk, "now", None)
    period = period or (now.period if now and now.period else at.astimezone(UTC).strftime("%Y-%m"))
    told = explain_period(disk.pk, period)
    score = told["score"]
    return {
        "period": period,
        "month": month_name(period),
        "zone": score["zone"],
        "figures": [
            {"word": NAMES[one["name"]], "value": _percent(one["value"]), "is": readable(one["is"])}
            for one in told["figures"]
        ]
        + _left_out(score),
        "worst": [_minute(one) for one in told["worst"][:MOST]],
    }


def _percent(value: float | None) -> str:
    cut = cut_percent(value, DIGITS)
    return "–" if cut is None else f"{cut} %"


def _left_out(score: dict[str, Any]) -> list[dict[str, str]]:
    gap, slots = score["gap"], score["slots"]
    return [
        {
            "word": "excess",
            "value": f"{score['excess']:,}",
            "is": f"of {score['ios']:,} completed; even an ideal disk of the contract would have let them wait",
        },
        {
            "word": "not observed",
            "value": _percent(max(0.0, 1 - score["coverage"]) if score["coverage"] is not None else None),
            "is": f"of the time judged; the counters say that {gap['ios']:,} I/Os fell into gaps, neither good nor bad",
        },
        {
            "word": "taken out",
            "value": f"{score['excluded_s'] // MINUTE_S:,} min",
            "is": f"maintenance; with it {_percent(score['without_exclusions']['sli']['estimate'])} were attained",
        },
        {
            "word": "lost time",
            "value": f"{score['lost_s']:,.1f} s",
            "is": "stalls and short delivery: a breach of its own where it outgrows the objective",
        },
        {
            "word": "minutes breached",
            "value": f"{slots['breached']:,}",
            "is": f"{slots['breached_proved']:,} of them proved; {slots['met']:,} met, {slots['excused']:,} excused, "
            f"{slots['idle']:,} idle, {slots['no_data']:,} without data",
        },
    ]


def _minute(item: dict[str, Any]) -> dict[str, Any]:
    """A line of the worst, and the hour around it as the page's own address."""
    start = item["start"]
    return {
        "t": start,
        "at": datetime.fromtimestamp(start, UTC),
        "query": f"range=1h&to={stamp((start // MINUTE_S + 30) * MINUTE_S)}&minute={stamp(start)}",
        "state": item["state"],
        "slow": item["slow"]["estimate"],
        "eligible": item["eligible"],
        "lost_ms": item["lost_ms"],
        "await_ms": item["await_ms"],
    }
