"""What was held back until now, for the night or for the digest? One mail a person for all of it."""

from collections import defaultdict
from datetime import datetime

from django.db import transaction

from sla.domain.notices.patience import KEEP_TRYING
from sla.incidents.muting import muted_by
from sla.notifications.models import Notice
from sla.notifications.writing import new_message_id

State = Notice.State
WEIGHT = ("info", "ticket", "page")


@transaction.atomic
def release_gathered(now: datetime) -> int:
    """Call it inside `sole`. Of one incident alone the mail is its own; several become a digest; how many mails."""
    waiting: dict[int, list[Notice]] = defaultdict(list)
    due = Notice.objects.select_for_update(of=("self",)).filter(gathered=True, state=State.QUEUED, next_at__lte=now)
    for notice in due.select_related("incident").order_by("id"):
        waiting[notice.person_id].append(notice)
    return sum(
        _release(person, [one for one in held if not _silenced(one, now)], now) for person, held in waiting.items()
    )


def _silenced(notice: Notice, now: datetime) -> bool:
    """Told to be quiet since it was written: it is not said any more."""
    why = muted_by(notice.incident, now)
    if why is None:
        return False
    Notice.objects.filter(pk=notice.pk).update(state=State.FOLDED, last_error=f"silenced by {why}"[:500])
    return True


def _release(person: int, held: list[Notice], now: datetime) -> int:
    if not held:
        return 0
    keys = [notice.pk for notice in held]
    if len(held) == 1:
        Notice.objects.filter(pk__in=keys).update(gathered=False, give_up_at=now + KEEP_TRYING)
        return 1
    digest = Notice.objects.create(
        person_id=person,
        topic=Notice.Topic.DIGEST,
        occasion="digest",
        severity=max((notice.severity for notice in held), key=WEIGHT.index),
        created_at=now,
        next_at=now,
        give_up_at=now + KEEP_TRYING,
        message_id=new_message_id(),
    )
    Notice.objects.filter(pk__in=keys).update(state=State.FOLDED, folded_into=digest)
    return 1
