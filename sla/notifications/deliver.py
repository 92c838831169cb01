"""How does what is due get out? Mail first, then the other ways; at least once, and the same mail at every try."""

import logging
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from sla.domain.notices.patience import wait_s
from sla.incidents.selectors import incidents_visible_to
from sla.notifications import mime, servers, smtp
from sla.notifications.channels import send_all
from sla.notifications.claiming import claim, release, sole
from sla.notifications.digest import release_gathered
from sla.notifications.letters import render
from sla.notifications.models import Notice
from sla.notifications.trouble import NotNow, Refused, ServerAway, Trouble

# A batch is claimed at once; a worker that dies leaves no more than this to its successor's first look.
BATCH = 20
# One run keeps a worker no longer than about this; scoring needs the worker too.
BUDGET_S = 15.0
State = Notice.State
logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Delivered:
    """What one run did."""

    sent: int = 0
    failed: int = 0
    given_up: int = 0
    kept: int = 0


def deliver(*, budget_s: float = BUDGET_S) -> Delivered:
    """Everything that is due, as long as the time lasts. Running it twice, or in two places, sends nothing twice."""
    done, end = Delivered(), time.monotonic() + budget_s
    with sole() as mine:
        if mine:
            release_gathered(timezone.now())
            _each_batch(True, _mails if settings.EMAIL_HOST else _keep, done, end)
            _each_batch(False, _channels, done, end)
    return done


def _each_batch(mail: bool, send: Callable[[list[Notice], Delivered], bool], done: Delivered, end: float) -> None:
    while time.monotonic() < end and not (mail and settings.EMAIL_HOST and servers.rests("mail", timezone.now())):
        batch = claim(mail=mail, now=timezone.now(), limit=BATCH)
        if not batch or not send(batch, done):
            return


def _prepared(notice: Notice, done: Delivered) -> bool:
    """Its parts are there, and committed, before the first byte goes out; and its reader may still read it."""
    if not _may_read(notice):
        fail(notice, Refused("its reader is gone, or may not see the incident any more"), done)
        return False
    if notice.rendered_at is not None:
        return True
    try:
        parts = render(notice)
    except Exception as error:
        logger.exception("notice %d cannot be rendered", notice.pk)
        fail(notice, NotNow(f"cannot be rendered: {type(error).__name__}: {error}"), done)
        return False
    for name, value in parts.items():
        setattr(notice, name, value)
    notice.rendered_at = timezone.now()
    notice.save(update_fields=[*parts, "rendered_at"])
    return True


def _may_read(notice: Notice) -> bool:
    """Asked at every try: between writing and sending somebody may have left."""
    if notice.person is None or not notice.person.is_active:
        return notice.person is None
    return notice.incident_id is None or incidents_visible_to(notice.person).filter(pk=notice.incident_id).exists()


def _mails(batch: list[Notice], done: Delivered) -> bool:
    """False when the server is away: the rest waits with it."""
    with smtp.Line() as line:
        for place, notice in enumerate(batch):
            if not _prepared(notice, done):
                continue
            trouble = _hand_over(line, notice)
            if isinstance(trouble, ServerAway):
                release(batch[place + 1 :])
                servers.failed("mail", str(trouble), timezone.now())
                fail(notice, trouble, done)
                return False
            if trouble is not None:
                fail(notice, trouble, done)
            else:
                succeed(notice, notice.person.email, done)
    servers.works("mail", timezone.now())
    return True


def _hand_over(line: smtp.Line, notice: Notice) -> Trouble | None:
    """None when the server has taken it over."""
    try:
        line.send(mime.sender(), notice.person.email, mime.message(notice).as_bytes())
    except Trouble as trouble:
        return trouble
    except Exception as error:  # whatever is odd about this one must not keep the others from going out
        logger.exception("notice %d cannot be sent", notice.pk)
        return NotNow(f"{type(error).__name__}: {error}")
    return None


def _keep(batch: list[Notice], done: Delivered) -> bool:
    """Without a mail server: rendered, to be read on the outbox page, and sent nowhere."""
    for notice in (one for one in batch if _prepared(one, done)):
        why = "no mail server is set up: EMAIL_URL"
        _settled(notice, state=State.KEPT, sent_to=notice.person.email, last_error=why)
        done.kept += 1
    return True


def _channels(batch: list[Notice], done: Delivered) -> bool:
    for notice, trouble in send_all([one for one in batch if _prepared(one, done)]):
        if trouble is None:
            succeed(notice, notice.channel.shown, done)
        else:
            until = fail(notice, trouble, done)
            if until is not None:  # what else there is for a receiver that is down waits with it
                waiting = Notice.objects.filter(channel=notice.channel, state__in=(State.QUEUED, State.FAILED))
                waiting.filter(next_at__lt=until).update(next_at=until)
    return True


def succeed(notice: Notice, to: str, done: Delivered) -> None:
    """Between the other side's yes and this line a crash repeats it: the same mail, with the same Message-ID."""
    _settled(notice, state=State.SENT, sent_at=timezone.now(), sent_to=to, last_error="")
    done.sent += 1


def fail(notice: Notice, trouble: Trouble, done: Delivered) -> datetime | None:
    """To be tried again, and when; or given up: said in the log, on the page, in /metrics."""
    now = timezone.now()
    first = isinstance(trouble, ServerAway)  # nothing was wrong with it: it goes when the server is back
    again = now + timedelta(seconds=wait_s(1 if first else max(1, notice.attempts), random.random()))  # noqa: S311
    if isinstance(trouble, Refused) or again >= notice.give_up_at:
        _settled(notice, state=State.GIVEN_UP, last_error=str(trouble)[:500])
        done.given_up += 1
        logger.error("notice %d to %s is given up: %s", notice.pk, notice.person or notice.channel, trouble)
        return None
    _settled(notice, state=State.FAILED, next_at=again, last_error=str(trouble)[:500])
    done.failed += 1
    return again


def _settled(notice: Notice, **change: object) -> None:
    Notice.objects.filter(pk=notice.pk, state=State.SENDING).update(**change)
