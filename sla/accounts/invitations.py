"""Verbs on invitations: make the link, take it back, accept it. Good once, and for a week."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet

from sla.accounts.models import Customer, Invitation, Membership, User
from sla.accounts.services import record
from sla.accounts.tokens import hash_token, make_token

LIFETIME = timedelta(days=7)  # somebody on holiday comes back to a link that still works; a forgotten one does not stay


class NotOpen(ValueError):
    """The link is unknown, used, taken back or too old. One word for all: it tells a guesser nothing."""


class Taken(ValueError):
    """The account to be made exists; the message says what to do."""


@transaction.atomic
def invite(
    *, email: str, by: User, now: datetime, customer: Customer | None = None, role: str = "", noc_role: str = ""
) -> tuple[Invitation, str]:
    """An invitation and its secret, in clear this once. An open one of the same mail to the same thing is replaced."""
    earlier = open_invitations(now).filter(email__iexact=email, customer=customer)
    earlier.update(revoked_at=now)
    secret, token_hash = make_token("invite")
    made = Invitation.objects.create(
        email=email,
        customer=customer,
        role=role,
        noc_role=noc_role,
        token_hash=token_hash,
        invited_by=by,
        expires_at=now + LIFETIME,
    )
    record(
        verb="person invited",
        object_label=email,
        actor=by,
        customer=customer,
        after={"role": role or f"NOC {noc_role}", "expires_at": made.expires_at.isoformat()},
    )
    return made, secret


def open_invitations(now: datetime) -> QuerySet[Invitation]:
    """Those that can still be accepted."""
    return Invitation.objects.filter(accepted_at=None, revoked_at=None, expires_at__gt=now)


def find(secret: str, now: datetime) -> Invitation:
    """The open invitation of a link. NotOpen."""
    found = open_invitations(now).select_related("customer", "invited_by").filter(token_hash=hash_token(secret)).first()
    if found is None:
        raise NotOpen("This invitation is unknown, was used or taken back, or is over a week old.")
    return found


@transaction.atomic
def take_back(*, invitation: Invitation, by: User, now: datetime) -> bool:
    """The link opens nothing any more. False where it was used, or taken back before."""
    if not Invitation.objects.filter(pk=invitation.pk, accepted_at=None, revoked_at=None).update(revoked_at=now):
        return False
    record(verb="invitation taken back", object_label=invitation.email, actor=by, customer=invitation.customer)
    return True


@transaction.atomic
def accept(*, invitation: Invitation, user: User, now: datetime) -> None:
    """The person becomes what the invitation says. NotOpen where somebody was faster with the same link."""
    # The conditional update is the claim: two clicks cannot both use the link.
    taken = Invitation.objects.filter(pk=invitation.pk, accepted_at=None, revoked_at=None, expires_at__gt=now)
    if not taken.update(accepted_at=now, accepted_by=user):
        raise NotOpen("This invitation has just been used.")
    if invitation.customer is not None:
        member, made = Membership.objects.get_or_create(
            user=user, customer=invitation.customer, defaults={"role": invitation.role}
        )
        # A manager who clicks an old viewer's link stays a manager.
        if not made and invitation.role == Membership.Role.MANAGER:
            Membership.objects.filter(pk=member.pk).update(role=invitation.role)
    else:
        User.objects.filter(pk=user.pk).update(noc_role=invitation.noc_role)
        user.noc_role = invitation.noc_role
    record(
        verb="invitation accepted",
        object_label=invitation.email,
        actor=user,
        customer=invitation.customer,
        after={"user": user.get_username(), "role": invitation.role or f"NOC {invitation.noc_role}"},
    )


@transaction.atomic
def accept_as_new(*, invitation: Invitation, username: str, password: str, now: datetime) -> User:
    """Makes the account the mail was sent to, and accepts with it. Taken, NotOpen."""
    if User.objects.filter(username__iexact=username).exists():
        raise Taken("This name is taken: choose another one.")
    if User.objects.filter(email__iexact=invitation.email).exists():
        raise Taken("There is an account with this mail address: log in with it, then open this link again.")
    user = User.objects.create_user(username, email=invitation.email, password=password)
    accept(invitation=invitation, user=user, now=now)
    return user
