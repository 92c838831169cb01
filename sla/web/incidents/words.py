"""How is an incident said on a page: its icon, how long it lasted, what each line of its history means?"""

from datetime import datetime
from typing import Any

from django.utils.translation import gettext, gettext_lazy, ngettext

from sla import figures
from sla.incidents.models import Incident
from sla.web.lengths import days_said, hours_said, minutes_said, seconds_said

# (state, severity) -> icon of the one status vocabulary; the word beside it says which is meant.
ICONS = {
    **{("open", severity): icon for severity, icon in (("page", "breached"), ("ticket", "at_risk"), ("info", "idle"))},
    **{("acknowledged", severity): "excused" for severity in Incident.Severity.values},
    **{("resolved", severity): "met" for severity in Incident.Severity.values},
}
LINES = {
    "opened": gettext_lazy("opened"),
    "joined": gettext_lazy("joined"),
    "left": gettext_lazy("recovered"),
    "escalated": gettext_lazy("escalated"),
    "acknowledged": gettext_lazy("acknowledged"),
    "note": gettext_lazy("note"),
    "reminded": gettext_lazy("reminded"),
    "resolved": gettext_lazy("resolved"),
    "reopened": gettext_lazy("came back"),
    "silenced": gettext_lazy("silenced"),
}
LINE_ICONS = {
    "opened": "breached",
    "joined": "at_risk",
    "left": "met",
    "escalated": "breached",
    "acknowledged": "excused",
    "note": "excused",
    "reminded": "at_risk",
    "resolved": "met",
    "reopened": "breached",
    "silenced": "maintenance",
}


def headline(title: str) -> str:
    """As a line of its own: 'The agent of web-1 is silent', but a host keeps the name it has."""
    return title[:1].upper() + title[1:] if title.startswith("the ") else title


def duration(seconds: float) -> str:
    """40 s, 12 min, 3 h 5 min, 2 d 4 h."""
    minutes, hours, days = int(seconds // 60), int(seconds // 3600), int(seconds // 86_400)
    if seconds < 60:
        return seconds_said(int(seconds))
    if minutes < 120:
        return minutes_said(minutes)
    if hours < 48:
        return f"{hours_said(hours)} {minutes_said(minutes % 60)}" if minutes % 60 else hours_said(hours)
    return f"{days_said(days)} {hours_said(hours % 24)}" if hours % 24 else days_said(days)


def lasted(incident: Incident, now: datetime) -> str:
    """From its opening to its end, or so far."""
    return duration(((incident.resolved_at or now) - incident.opened_at).total_seconds())


def line(event: dict[str, Any]) -> dict[str, Any]:
    """A line of the history, as the page shows it."""
    return {
        **event,
        "word": LINES[event["kind"]],
        "icon": LINE_ICONS[event["kind"]],
        "what": what(event["kind"], event["data"]),
        "muted": event["data"].get("muted"),
    }


def what(kind: str, data: dict[str, Any]) -> str:
    """Beside the word: how many disks, from what to what."""
    count = data.get("count", 0)
    if kind in ("opened", "reopened", "joined", "left") and count:
        return ngettext("%(count)d disk", "%(count)d disks", count) % {"count": count}
    if kind == "escalated":
        return ", ".join(_risen(data))
    if kind == "silenced" and "ends_at" in data:
        return gettext("until %(when)s UTC") % {"when": figures.moment(datetime.fromisoformat(data["ends_at"]))}
    if kind == "reminded" and "open_s" in data:
        return gettext("after %(long)s") % {"long": duration(data["open_s"])}
    return ""


def _risen(data: dict[str, Any]) -> list[str]:
    said = []
    if "severity" in data:
        said.append(gettext("from %(old)s to %(new)s") % _old_and_new(Incident.Severity, data["severity"]))
    if data.get("proved"):
        said.append(gettext("proved"))
    if "kind" in data:
        said.append(gettext("%(old)s found to be %(new)s") % _old_and_new(Incident.Kind, data["kind"]))
    return said


def _old_and_new(words: Any, stored: list[str]) -> dict[str, str]:
    return dict(zip(("old", "new"), (str(words(one).label) for one in stored), strict=True))
