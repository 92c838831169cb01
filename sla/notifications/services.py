"""The verbs of people on notices: say what one wants, add a way, ask for a test, try again."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction
from django.utils import timezone

from sla.accounts.models import User
from sla.accounts.services import record
from sla.domain.notices.patience import KEEP_TRYING
from sla.notifications import message_service, webhook
from sla.notifications.models import Channel, Notice, Preference
from sla.notifications.nudge import nudge_after_commit
from sla.notifications.sealed import seal
from sla.notifications.writing import new_message_id

# More ways than these to one person are a mistake, or an attempt to have us call many.
MOST_CHANNELS = 10
# Who presses the button looks now; a test that arrives tomorrow proves nothing.
TEST_KEEPS_TRYING = timedelta(minutes=10)
# Who presses again meanwhile gets the one that is on its way: a test is no way to have us call somebody's server often.
TEST_EVERY = timedelta(seconds=15)
PLAIN = ("page", "ticket", "info", "quiet_from", "quiet_to", "quiet_for_pages", "digest_at")


class Refused(ValueError):
    """What was typed cannot be used; the message says why."""


@transaction.atomic
def set_preference(*, user: User, wanted: Mapping[str, Any]) -> Preference:
    """`wanted`: the fields of Preference; `pools` and `customers` only for the NOC, which alone sees several."""
    kept, _ = Preference.objects.select_for_update().get_or_create(user=user)
    before = described(kept)
    for name in PLAIN:
        setattr(kept, name, wanted[name])
    kept.save()
    for name in ("pools", "customers") if user.is_noc else ():
        getattr(kept, name).set(wanted[name])
    after = described(kept)
    if before != after:
        record(verb="notices chosen", object_label=user.get_username(), actor=user, before=before, after=after)
    return kept


def described(preference: Preference) -> dict[str, Any]:
    """For the audit trail."""
    plain = {name: getattr(preference, name) for name in PLAIN}
    chosen = {name: sorted(str(one) for one in getattr(preference, name).all()) for name in ("pools", "customers")}
    return {name: None if value is None else str(value) for name, value in plain.items()} | chosen


@transaction.atomic
def add_channel(
    *, by: User, owner: User | None, kind: str, name: str, address: str, least: str
) -> tuple[Channel, str | None]:
    """The channel, and for a webhook its secret in clear, this once. `owner` None: of the NOC as a whole.

    Raises Refused.
    """
    address = address.strip()
    is_hook = kind == Channel.Kind.WEBHOOK
    if why := (webhook.refused_because if is_hook else message_service.refused_because)(address):
        raise Refused(why)
    User.objects.select_for_update().get(pk=by.pk)  # two at once must not both be the last that fits
    if Channel.objects.filter(owner=owner).count() >= MOST_CHANNELS:
        raise Refused(f"there are {MOST_CHANNELS} already: remove one first")
    secret = webhook.new_secret() if is_hook else ""
    shown = urlsplit(address).hostname or "" if is_hook else message_service.shown(address)
    channel = Channel.objects.create(
        owner=owner,
        kind=kind,
        name=name,
        address=seal(address),
        secret=seal(secret),
        shown=shown[:200],
        least=least,
    )
    after = {"kind": kind, "to": shown, "least": least, "of": owner.get_username() if owner else "the NOC"}
    record(verb="notice channel added", object_label=name, actor=by, after=after)
    return channel, secret or None


@transaction.atomic
def remove_channel(*, channel: Channel, by: User) -> None:
    """It is switched off and its address forgotten; what was told by it stays in the outbox."""
    before = {"kind": channel.kind, "to": channel.shown}
    waiting = Notice.objects.filter(channel=channel, state__in=(Notice.State.QUEUED, Notice.State.FAILED))
    waiting.update(state=Notice.State.GIVEN_UP, last_error="the channel was removed")
    channel.active, channel.address, channel.secret = False, b"", b""
    channel.save()
    record(verb="notice channel removed", object_label=channel.name, actor=by, before=before)


@transaction.atomic
def send_test(*, person: User | None, channel: Channel | None = None) -> Notice:
    """A notice that only proves that the way is open; at once, quiet hours or not."""
    now = timezone.now()
    tests = Notice.objects.filter(person=person, channel=channel, topic=Notice.Topic.TEST)
    if last := tests.filter(created_at__gt=now - TEST_EVERY).last():
        return last
    notice = Notice.objects.create(
        person=person,
        channel=channel,
        topic=Notice.Topic.TEST,
        occasion="test",
        severity="info",
        created_at=now,
        next_at=now,
        give_up_at=now + TEST_KEEPS_TRYING,
        message_id=new_message_id(),
    )
    nudge_after_commit()
    return notice


@transaction.atomic
def retry(*, notice: Notice, by: User) -> bool:
    """Try again now what failed, was given up or was kept; False where there is nothing to try."""
    now = timezone.now()
    again = (Notice.State.FAILED, Notice.State.GIVEN_UP, Notice.State.KEPT)
    changed = Notice.objects.filter(pk=notice.pk, state__in=again).update(
        state=Notice.State.QUEUED, next_at=now, give_up_at=now + KEEP_TRYING, attempts=0
    )
    if changed:
        to = notice.person.get_username() if notice.person else str(notice.channel)
        record(verb="notice tried again", object_label=f"notice {notice.pk} to {to}", actor=by)
        nudge_after_commit()
    return bool(changed)


def forget_letters(*, before: datetime) -> int:
    """Of what is over, the HTML and the chart go; who was told what and when, and its plain words, stay."""
    over = (Notice.State.SENT, Notice.State.GIVEN_UP, Notice.State.KEPT)
    old = Notice.objects.filter(created_at__lt=before, state__in=over).exclude(html="")
    return old.update(html="", chart=None)
