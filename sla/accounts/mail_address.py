"""Verbs on a person's mail address: a new one counts once a link that came to it was opened."""

from django.core import signing
from django.db import IntegrityError, transaction
from django.utils.crypto import salted_hmac

from sla.accounts.models import User
from sla.accounts.services import record_of_person

SALT = "sla.accounts.mail_address"
# A mail may lie in a queue overnight; what was asked for by mistake should not wait for weeks.
LIFETIME_S = 24 * 3600


class LinkOver(ValueError):
    """The link is not ours, too old, another person's, or the address or the password has changed since."""


class Taken(ValueError):
    """Another account has the address by now."""


def link_for(person: User, wanted: str) -> str:
    """What the link holds: it opens for this person only, as long as neither address nor password change."""
    claim = {"person": person.pk, "was": person.email, "wanted": wanted, "mark": _mark(person)}
    return signing.dumps(claim, salt=SALT, compress=True)


def wanted_by(link: str, person: User) -> str:
    """The address that a link of this person is about. LinkOver."""
    try:
        claim = signing.loads(link, salt=SALT, max_age=LIFETIME_S)
    except signing.BadSignature as error:
        raise LinkOver(str(error)) from error
    if (claim["person"], claim["was"], claim["mark"]) != (person.pk, person.email, _mark(person)):
        raise LinkOver("the account has changed since")
    return str(claim["wanted"])


def _mark(person: User) -> str:
    """Changes with the password: a link that somebody else had sent is over once its owner is back."""
    return salted_hmac(SALT, person.password).hexdigest()[:16]


def change_mail_address(*, person: User, address: str) -> None:
    """From now on mail goes there. Taken."""
    was = person.email
    try:
        with transaction.atomic():
            User.objects.filter(pk=person.pk).update(email=address)
            record_of_person(
                person,
                verb="mail address changed",
                object_label=person.get_username(),
                actor=person,
                before={"email": was},
                after={"email": address},
            )
    except IntegrityError as error:
        raise Taken(f"another account has the address {address}") from error
    person.email = address
