"""What does a digest say? A line for each incident that was held back, whatever became of it meanwhile."""

from datetime import datetime, tzinfo
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext as _

from sla.notifications.facts import Facts, facts_of
from sla.notifications.foot import foot
from sla.notifications.models import Notice
from sla.notifications.moments import duration, headed, moment, span
from sla.notifications.recipients import zone_of

# Lines of a digest; the others are counted.
MOST = 50


def digest(notice: Notice) -> dict[str, Any]:
    """Everything that was folded into it, worst first, then newest first."""
    zone, person = zone_of(notice.person), notice.person
    told: dict[int, dict[str, Any]] = {}
    for held in notice.holds.select_related("incident").order_by("id"):
        told[held.incident_id] = _line(held, facts_of(held.incident, person), zone)
    lines = sorted(told.values(), key=lambda line: (line["over"], -line["weight"], -line["opened"]))
    still = sum(not line["over"] for line in lines)
    said = {"count": len(lines), "still": still}
    heading = _("%(count)d incidents, %(still)d of them still open") % said
    context = {
        "subject": f"[Plimsoll] {heading}",
        "heading": heading,
        "lines": lines[:MOST],
        "more": max(0, len(lines) - MOST),
        "url": settings.BASE_URL + "/incidents",
        **foot(notice),
    }
    plain, html = (render_to_string(f"mail/digest.{form}", context) for form in ("txt", "html"))
    return {"subject": context["subject"], "plain": plain, "html": html}


def _line(held: Notice, facts: Facts, zone: tzinfo) -> dict[str, Any]:
    over = facts.resolved_at is not None
    return {
        "title": headed(facts.title),
        "when": span(facts.opened_at, facts.resolved_at, zone) if over else moment(facts.opened_at, zone),
        "lasted": duration((facts.resolved_at or timezone.now()) - facts.opened_at),
        "over": over,
        "url": facts.url,
        "severity": held.incident.get_severity_display(),
        "weight": ("info", "ticket", "page").index(held.incident.severity),
        "opened": datetime.timestamp(facts.opened_at),
    }
