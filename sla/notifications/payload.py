"""What does a webhook get? Names and figures, no sentences to take apart. Moments in Unix seconds, unknown is null."""

from typing import Any

from sla.notifications.facts import DiskLine, Facts
from sla.notifications.models import Notice


def payload(notice: Notice, facts: Facts, looks_like: str) -> dict[str, Any]:
    """Of a turn of an incident."""
    return {
        "type": f"incident.{notice.topic}",
        "delivery": notice.message_id.strip("<>"),
        "incident": {
            "id": notice.incident_id,
            "kind": notice.incident.kind,
            "severity": notice.incident.severity,
            "state": notice.incident.state,
            "suspected": facts.likely,
            "title": facts.title,
            "opened_at": facts.opened_at.timestamp(),
            "resolved_at": facts.resolved_at.timestamp() if facts.resolved_at else None,
            "url": facts.url,
        },
        "disks": {"now": facts.disks, "ever": facts.ever},
        "worst": [_disk_plain(line) for line in facts.worst],
        "looks_like": looks_like,
    }


def _disk_plain(line: DiskLine) -> dict[str, Any]:
    return {
        "id": line.disk,
        "name": line.name,
        "customer": line.customer or None,
        "contract": line.promise or None,
        "since": line.since.timestamp(),
        "url": line.url,
    }
