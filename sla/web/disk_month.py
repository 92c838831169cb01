"""Where do the figures of a disk's month come from? Their formulas, and the minutes that cost most."""

from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from sla.figures import decimal, grouped, whole
from sla.fleet.models import Disk
from sla.scoring.explain import explain_period
from sla.web.disk_range import MINUTE_S, stamp
from sla.web.disk_words import cut_percent, month_name, shown_percent

NAMES = {
    "sli.low": gettext_lazy("attained, at least"),
    "sli.estimate": gettext_lazy("attained, by estimate"),
    "sli.high": gettext_lazy("attained, at most"),
}
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
            {"word": str(NAMES[one["name"]]), "value": _percent(one["value"]), "is": grouped(one["is"])}
            for one in told["figures"]
        ]
        + _left_out(score),
        "worst": [_minute(one) for one in told["worst"][:MOST]],
    }


def _percent(value: float | None) -> str:
    return shown_percent(cut_percent(value, DIGITS))


def _left_out(score: dict[str, Any]) -> list[dict[str, str]]:
    gap, slots = score["gap"], score["slots"]
    excess = gettext("of %(ios)s completed; even an ideal disk of the contract would have let them wait")
    unseen = gettext("of the time judged; the counters say that %(ios)s I/Os fell into gaps, neither good nor bad")
    breached = gettext(
        "%(proved)s of them proved; %(met)s met, %(excused)s excused, %(idle)s idle, %(unknown)s without data"
    )
    return [
        {"word": gettext("excess"), "value": whole(score["excess"]), "is": excess % {"ios": whole(score["ios"])}},
        {
            "word": gettext("not observed"),
            "value": _percent(max(0.0, 1 - score["coverage"]) if score["coverage"] is not None else None),
            "is": unseen % {"ios": whole(gap["ios"])},
        },
        {
            "word": gettext("taken out"),
            "value": gettext("%(count)s min") % {"count": whole(score["excluded_s"] // MINUTE_S)},
            "is": gettext("maintenance; with it %(share)s were attained")
            % {"share": _percent(score["without_exclusions"]["sli"]["estimate"])},
        },
        {
            "word": gettext("lost time"),
            "value": gettext("%(count)s s") % {"count": decimal(f"{score['lost_s']:.1f}")},
            "is": gettext("stalls and short delivery: a breach of its own where it outgrows the objective"),
        },
        {
            "word": gettext("minutes breached"),
            "value": whole(slots["breached"]),
            "is": breached
            % {
                "proved": whole(slots["breached_proved"]),
                "met": whole(slots["met"]),
                "excused": whole(slots["excused"]),
                "idle": whole(slots["idle"]),
                "unknown": whole(slots["no_data"]),
            },
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
