"""How is a contention window said: to the NOC with names, to a customer without?"""

from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from sla import figures
from sla.accounts.models import User
from sla.fleet.models import Disk
from sla.neighbours.models import Cause, NeighbourWindow, Role, WindowDisk
from sla.neighbours.words import several_pools

CAUSES = {
    Cause.NEIGHBOUR: (gettext_lazy("another disk’s load"), "at_risk"),
    Cause.BACKEND: (gettext_lazy("the storage behind the pool"), "breached"),
    Cause.WIDER: (gettext_lazy("above several pools"), "breached"),
    Cause.DISK: (gettext_lazy("this disk alone"), "at_risk"),
    Cause.SELF: (gettext_lazy("its own load"), "excused"),
    Cause.UNKNOWN: (gettext_lazy("not known"), "no_data"),
}


def confidence_word(confidence: float) -> str:
    """Said as one would: figures stand beside it."""
    for least, word in (
        (0.95, gettext("almost certain")),
        (0.8, gettext("likely")),
        (0.6, gettext("more likely than not")),
    ):
        if confidence >= least:
            return word
    return gettext("unsure")


def listed(window: NeighbourWindow, noc: bool, parts: list[WindowDisk]) -> dict[str, Any]:
    """A line of the list of windows."""
    word, icon = CAUSES[Cause(window.cause)]
    end = window.end or datetime.now(UTC)
    suspects = [part for part in parts if part.role == Role.SUSPECT]
    return {
        "window": window,
        "icon": icon,
        "cause": str(word),
        "severity": _times(window.severity),
        "minutes": round((end - window.start).total_seconds() / 60),
        "where": _where(window, noc),
        "victims": sum(part.role == Role.VICTIM for part in parts),
        "suspect": suspects[0] if suspects and noc else None,
        "confidence": confidence_word(window.confidence),
        "percent": int(window.confidence * 100),
        "mine": [] if noc else [_mine(part) for part in parts],
    }


def _times(factor: float) -> str:
    return f"×{figures.decimal(f'{factor:.1f}')}"


def _where(window: NeighbourWindow, noc: bool) -> str:
    if window.disk_id:
        return str(window.disk)
    return window.pool.name if noc and window.pool else gettext("shared storage")


def _mine(part: WindowDisk) -> dict[str, Any]:
    return {
        "disk": part.disk,
        "share": None if part.share is None else f"{100 * part.share:.0f} %",
        "slowdown": None if part.slowdown is None else _times(part.slowdown),
    }


def card(window: NeighbourWindow, user: User, parts: list[WindowDisk], visible: dict[int, Disk]) -> dict[str, Any]:
    """The evidence: a sentence, who suffered, who is suspected, and their curves; a customer's own disks only."""
    noc = user.is_noc
    told = window.evidence or {}
    series = told.get("series") or {}
    by_disk = {part.disk_id: part for part in parts}
    shown = [one for one in series.get("disks", []) if noc or one["disk"] in visible]
    return {
        **listed(window, noc, parts),
        "reason": told.get("reason", "") if noc else _to_customer(window, parts),
        "growth": told.get("load_growth") if noc else None,
        "nobody": not any(part.role == Role.SUSPECT for part in parts) and not window.disk_id,
        "data": {
            "start": int(window.start.timestamp()),
            "end": int(window.end.timestamp()) if window.end else None,
            "t": series.get("t", []),
            "disks": [
                {
                    **one,
                    "name": str(visible[one["disk"]]) if one["disk"] in visible else "?",
                    "url": f"/disks/{one['disk']}/",
                    "share": by_disk[one["disk"]].share if one["disk"] in by_disk else None,
                    "lag_s": by_disk[one["disk"]].lag_s if one["disk"] in by_disk else None,
                    "score": by_disk[one["disk"]].score if noc and one["disk"] in by_disk else None,
                    "times": by_disk[one["disk"]].slowdown if one["disk"] in by_disk else None,
                }
                for one in shown
            ],
        },
    }


def _to_customer(window: NeighbourWindow, parts: list[WindowDisk]) -> str:
    """Never a name: what it was, and the share that was theirs."""
    if window.disk_id:
        if window.cause == Cause.SELF:
            return gettext("Your disk was slower than usual while it asked for more than it hardly ever does.")
        return gettext("Your disk alone was slower than its own past at this load.")
    if window.cause == Cause.WIDER:
        return several_pools()
    share = sum(part.share or 0.0 for part in parts)
    times = figures.decimal(f"{window.severity:.1f}")
    return gettext(
        "Shared-storage contention: the storage your disks share with others was %(times)s times slower than usual. "
        "Your share of its load was %(share)d %%."
    ) % {"times": times, "share": round(100 * share)}
