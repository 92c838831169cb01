"""What is written into the outbox when an incident's history grows? In the same transaction: both are there, or none.

One notice a turn (opened, escalated, came back, recovered) and reader: disks that join add nothing for who knows of the
incident already. What still waits for its hour is folded into what comes after it.
"""

import uuid
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from urllib.parse import urlsplit

from django.conf import settings
from django.utils import timezone

from sla.domain.notices.patience import KEEP_TRYING
from sla.domain.notices.wishes import When, when_to_tell
from sla.incidents.models import Incident, IncidentEvent
from sla.notifications.models import Notice
from sla.notifications.nudge import nudge_after_commit
from sla.notifications.recipients import Hit, Reader, hit_by, may_see, readers_of

Topic, Happened = Notice.Topic, IncidentEvent.Kind
TOPICS = {
    Happened.OPENED: Topic.OPENED,
    Happened.JOINED: Topic.OPENED,  # to whom it is new
    Happened.ESCALATED: Topic.ESCALATED,
    Happened.REOPENED: Topic.REOPENED,
    Happened.REMINDED: Topic.REMINDED,
    Happened.RESOLVED: Topic.RESOLVED,
}
# Only for who has been told of the beginning.
TO_THE_TOLD = (Topic.RESOLVED,)
Key = tuple[int | None, int | None]


def write(incident: Incident, event: IncidentEvent) -> int:
    """The notices of one event; how many."""
    topic = TOPICS.get(Happened(event.kind))
    if topic is None or is_muted(event) or _is_no_news(event):
        return 0
    now = timezone.now()
    before = _written(incident)
    hit = hit_by(incident)
    made: list[Notice] = []
    for reader in readers_of(hit):
        known = before.get(reader.key, [])
        # A reminder of what was silenced when it began is the first that people hear of it.
        turn = Topic.OPENED if topic is Topic.REMINDED and not known else topic
        when = _when(reader, hit, turn, known, now)
        occasion = _occasion(turn, event, incident)
        if when is not None and not any(notice.occasion == occasion for notice in known):
            made.append(_notice(reader, incident, turn, occasion, when, now))
    Notice.objects.bulk_create(made)
    _fold(made, before, now)
    if made:
        nudge_after_commit()
    return len(made)


def is_muted(event: IncidentEvent) -> bool:
    """Was the incident silenced, or all of it in maintenance that mutes, when this happened?"""
    return bool(event.data.get("muted"))


def _is_no_news(event: IncidentEvent) -> bool:
    """That it became certain, or is of another kind, is on its page; only what makes it more urgent is told again."""
    return event.kind == Happened.ESCALATED and "severity" not in event.data


def _written(incident: Incident) -> dict[Key, list[Notice]]:
    found: dict[Key, list[Notice]] = defaultdict(list)
    for notice in Notice.objects.filter(incident=incident).defer("plain", "html", "chart"):
        found[notice.person_id, notice.channel_id].append(notice)
    return found


def _when(reader: Reader, hit: Hit, topic: str, known: list[Notice], now: datetime) -> When | None:
    if not may_see(reader, hit.customers):
        return None
    if topic in TO_THE_TOLD and not known:
        return None
    if topic == Topic.REMINDED and reader.customers is not None:
        return None  # whether the NOC looks after it is for the NOC
    when = when_to_tell(reader.wishes, reader.matter(hit), now)
    if when is not None and reader.channel is not None:
        return When(when.at, False)
    return when


def _occasion(topic: str, event: IncidentEvent, incident: Incident) -> str:
    """Beginning and coming back are turns that disks may join; everything else happens once."""
    if topic in (Topic.OPENED, Topic.REOPENED):
        return f"begun.{incident.reopened}"
    return f"{topic}.{event.pk}"


def _notice(reader: Reader, incident: Incident, topic: str, occasion: str, when: When, now: datetime) -> Notice:
    person, channel = reader.key
    return Notice(
        person_id=person,
        channel_id=channel,
        incident=incident,
        topic=topic,
        occasion=occasion,
        severity=incident.severity,
        gathered=when.gathered,
        created_at=now,
        next_at=when.at,
        give_up_at=when.at + KEEP_TRYING,
        message_id=new_message_id(),
    )


def _fold(made: Iterable[Notice], before: dict[Key, list[Notice]], now: datetime) -> None:
    """What was held back and never tried is told by the new one."""
    for notice in made:
        held = [
            one.pk
            for one in before.get((notice.person_id, notice.channel_id), [])
            if one.state == Notice.State.QUEUED and one.next_at > now
        ]
        if held:
            waiting = Notice.objects.filter(pk__in=held, state=Notice.State.QUEUED, attempts=0, next_at__gt=now)
            waiting.update(state=Notice.State.FOLDED, folded_into=notice)


def new_message_id() -> str:
    """Fixed when a notice is written: the same at every try."""
    return f"<{uuid.uuid4().hex}@{mail_domain()}>"


def mail_domain() -> str:
    """The right side of our message ids: the host people know us by."""
    return urlsplit(settings.BASE_URL).hostname or "localhost"
