"""What becomes of what the auditor finds? An incident of its own; while all is well, a word to somebody outside."""

import logging
from datetime import datetime
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from sla.domain.incidents import calm
from sla.domain.incidents.words import Happened, Kind, Severity
from sla.incidents.audit import findings
from sla.incidents.history import record_event
from sla.incidents.models import Incident

logger = logging.getLogger(__name__)
KEY = "watcher:plimsoll"
HEARTBEAT_TIMEOUT_S = 5


def audit(*, now: datetime | None = None) -> list[str]:
    """Look, write it down, and tell the outside that we live; what is wrong."""
    now = now or timezone.now()
    found = findings(now)
    note(found, now)
    return found


@transaction.atomic
def note(found: list[str], now: datetime) -> Incident | None:
    """Open, go on with or end the incident about ourselves."""
    incident = Incident.objects.select_for_update().exclude(state=Incident.State.RESOLVED).filter(key=KEY).first()
    if incident is None:
        return _begin(found, now) if found else None
    if found:
        _say(incident, found)
        incident.quiet_at = None
        incident.save()
        return incident
    if incident.quiet_at is None:
        incident.quiet_at = now
    if calm.is_over(incident.quiet_at.timestamp(), incident.reopened, now.timestamp()):
        incident.state, incident.resolved_at = Incident.State.RESOLVED, now
        record_event(incident, Happened.RESOLVED, now, data={"late": incident.figures.get("late", [])})
    else:
        incident.save()
    return incident


def _begin(found: list[str], now: datetime) -> Incident | None:
    """It came back, or it is new. The limits of the checks are wide: a restart of the workers is within them."""
    last = Incident.objects.filter(key=KEY, state=Incident.State.RESOLVED).order_by("-resolved_at").first()
    back = last is not None and last.resolved_at is not None
    if last is not None and back and calm.comes_back(last.resolved_at.timestamp(), now.timestamp()):
        incident = last
        incident.state, incident.resolved_at, incident.quiet_at = Incident.State.OPEN, None, None
        incident.acknowledged_at = incident.acknowledged_by = None
        incident.reopened += 1
    else:
        back = False
        moments = {"opened_at": now, "updated_at": now, "joined_at": now}
        incident = Incident(kind=Kind.WATCHER, key=KEY, severity=Severity.PAGE, **moments)
    _say(incident, found)
    try:
        with transaction.atomic():
            incident.save()
    except IntegrityError:
        return None  # another auditor has just begun it
    data = {"late": found, "severity": incident.severity, "kind": incident.kind, "suspected": False}
    record_event(incident, Happened.REOPENED if back else Happened.OPENED, now, data=data)
    return incident


def _say(incident: Incident, found: list[str]) -> None:
    more = f", and {len(found) - 1} more" if len(found) > 1 else ""
    incident.title = f"Plimsoll itself: {found[0]}{more}"[:300]
    incident.figures = {"late": found[:50]}


def heartbeat() -> str:
    """Tell the outside that all is well; who hears nothing for a while knows that we are down. What came of it."""
    url = settings.HEARTBEAT_URL
    if not url:
        return "no heartbeat is set"
    # No redirects and no other handlers: the address is asked as it stands, or not at all.
    opener = OpenerDirector()
    for handler in (ProxyHandler(), HTTPHandler(), HTTPSHandler()):
        opener.add_handler(handler)
    request = Request(url, headers={"User-Agent": "plimsoll"}, method="GET")  # noqa: S310
    try:
        with opener.open(request, timeout=HEARTBEAT_TIMEOUT_S) as answer:
            status = answer.status
    except (URLError, OSError, ValueError) as error:
        logger.warning("the heartbeat at %s was not taken: %s", urlsplit(url).hostname, error)
        return f"the heartbeat was not taken: {error}"
    if not 200 <= status < 300:
        logger.warning("the heartbeat at %s was answered with %d", urlsplit(url).hostname, status)
        return f"the heartbeat was answered with {status}"
    return "the heartbeat was taken"
