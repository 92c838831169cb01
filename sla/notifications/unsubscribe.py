"""Which link turns one class of mail off, for one person, without a login? A signed one (RFC 8058)."""

from dataclasses import dataclass

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.urls import reverse

from sla.accounts.models import User
from sla.accounts.services import record
from sla.domain.incidents.words import Severity
from sla.domain.notices.wishes import Way
from sla.notifications.models import Notice, Preference

SALT = "plimsoll.unsubscribe"
DIGEST = "digest"


@dataclass(frozen=True, slots=True)
class Asked:
    """Whose mail of which class: a severity, or "digest"."""

    user: User
    kind: str


def _signer() -> signing.Signer:
    """Without a time in it: a mail that is sent again is the same mail."""
    return signing.Signer(salt=SALT)


def url_for(notice: Notice) -> str:
    """It does nothing but turn this class of mail to this person off, so it never expires: old mails are found late."""
    kind = DIGEST if notice.topic == Notice.Topic.DIGEST else notice.severity
    token = _signer().sign_object([notice.person_id, kind])
    return settings.BASE_URL + reverse("unsubscribe", args=[token])


def read(token: str) -> Asked | None:
    """None for what we have not signed, and for who is gone."""
    try:
        person, kind = _signer().unsign_object(token)
    except signing.BadSignature:
        return None
    user = User.objects.filter(pk=person, is_active=True).first()
    return Asked(user, kind) if user and kind in {DIGEST, *Severity} else None


@transaction.atomic
def turn_off(asked: Asked) -> list[str]:
    """The severities that are off now by this; doing it twice changes nothing."""
    wanted, _ = Preference.objects.select_for_update().get_or_create(user=asked.user)
    listed = [one.value for one in Severity if getattr(wanted, one.value) == Way.DIGEST]
    turned = listed if asked.kind == DIGEST else [asked.kind]
    before = {name: getattr(wanted, name) for name in turned}
    for name in turned:
        setattr(wanted, name, Way.OFF.value)
    wanted.save()
    after = dict.fromkeys(turned, Way.OFF.value)
    if before != after:
        name = asked.user.get_username()
        record(verb="mail turned off", object_label=name, actor_label="unsubscribe link", before=before, after=after)
    return turned
