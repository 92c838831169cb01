"""What happened in one minute of a disk? Its seconds with their words, and the figures with their formulas."""

from typing import Any

from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from sla.domain.states import State
from sla.figures import grouped, whole
from sla.scoring.explain import explain_slot
from sla.scoring.selectors import slot_rows, vantage_of
from sla.web.disk_range import HOUR_S, stamp

SEEN = ("ios", "eligible", "slow", "lost_ms", "await_ms", "aqu_sz", "state", "proved", "grade", "coverage", "reason")
WORDS = {
    "normal": pgettext_lazy("second", "normal"),
    "pro_rata": pgettext_lazy("second", "pro rata"),
    "excused": pgettext_lazy("second", "excused"),
    "under_delivery": pgettext_lazy("second", "under-delivery"),
    "stalled": pgettext_lazy("second", "stalled"),
    "idle": pgettext_lazy("second", "idle"),
    "unknown": pgettext_lazy("second", "unknown"),
}
FIGURES = {
    "ios": gettext_lazy("completed"),
    "eligible_low": gettext_lazy("covered, at least"),
    "eligible": gettext_lazy("covered"),
    "eligible_high": gettext_lazy("covered, at most"),
    "slow_low": gettext_lazy("slow, at least"),
    "slow": gettext_lazy("slow"),
    "slow_high": gettext_lazy("slow, at most"),
    "lost_ms": gettext_lazy("lost time, ms"),
}


def worst_minute(disk_id: int, start: int, end: int) -> int | None:
    """The minute of [start, end) that cost the disk most; None where none is stored. At most an hour is searched."""
    rows = slot_rows(disk_id, start, min(end, start + HOUR_S), vantage_of(disk_id))
    if not rows:
        return None
    worst = max(
        rows,
        key=lambda row: (
            row["state"] == State.BREACHED,
            row["slow"] + row["lost_ms"],
            row["read_ios"] + row["write_ios"] - row["eligible"],
            row["read_ios"] + row["write_ios"],
        ),
    )
    return int(worst["start"])


def minute(disk_id: int, start: int, end: int) -> dict[str, Any] | None:
    """The panel of a minute: of the one at `start`, or the worst of a longer cell. None where nothing is stored."""
    at = start if end - start <= 60 else worst_minute(disk_id, start, end)
    told = explain_slot(disk_id, at) if at is not None else None
    if at is None or told is None:
        return None
    at = at // 60 * 60
    slot = told["slot"] or {}
    return {
        "t": at,
        "minute": stamp(at),
        "chosen": gettext("the worst of its cell") if end - start > 60 else None,
        "slot": {name: slot.get(name) for name in SEEN} if slot else None,
        "because": told.get("because"),
        "contract": told.get("contract"),
        "terms": told.get("terms"),
        "cases": [{"case": case, "word": str(WORDS[case]), "seconds": n} for case, n in told.get("cases", {}).items()],
        "figures": [
            {"word": str(FIGURES.get(one["name"], one["name"])), "value": whole(one["value"]), "is": grouped(one["is"])}
            for one in told.get("figures", [])
        ],
        "frames": told.get("frames", []),
        "seconds": told.get("seconds", []),
        "evidence": told["evidence"],
    }
