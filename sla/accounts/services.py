"""Verbs on accounts: make and revoke a token, keep the audit trail."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from sla.accounts.models import ApiToken, AuditEntry, Customer, User
from sla.accounts.tokens import make_token


@transaction.atomic
def issue_api_token(
    *,
    user: User,
    name: str,
    scopes: Sequence[str],
    expires_at: datetime | None = None,
    networks: Sequence[str] = (),
) -> str:
    """A new token, returned in clear this once."""
    token, token_hash = make_token("api")
    ApiToken.objects.create(
        user=user,
        name=name,
        token_hash=token_hash,
        scopes=list(scopes),
        networks=list(networks),
        expires_at=expires_at,
    )
    after = {
        "scopes": list(scopes),
        "networks": list(networks),
        "expires_at": expires_at.isoformat() if expires_at else None,
    }
    record_of_person(user, verb="API token made", object_label=name, actor=user, after=after)
    return token


@transaction.atomic
def revoke_api_token(*, token: ApiToken, by: User, now: datetime) -> bool:
    """It opens nothing any more. False where it had been revoked before."""
    if not ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now):
        return False
    record_of_person(token.user, verb="API token revoked", object_label=str(token), actor=by)
    return True


LABEL_LENGTH = 200


def _label(actor: User) -> str:
    """'ada', or 'ada, by token grafana'."""
    name = actor.get_username()
    return f"{name}, by token {actor.by_token}" if actor.by_token else name


def record(
    *,
    verb: str,
    object_label: str,
    actor: User | None = None,
    actor_label: str = "",
    customer: Customer | None = None,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> AuditEntry:
    """One line of the audit trail; call it in the transaction that makes the change."""
    return AuditEntry.objects.create(
        verb=verb,
        object_label=object_label,
        actor=actor,
        actor_label=(actor_label or (_label(actor) if actor else "system"))[:LABEL_LENGTH],
        customer=customer,
        before=before,
        after=after,
    )


def record_of_person(person: User, **entry: Any) -> None:
    """A line about a person: in the trail of each customer they belong to, and in the house's own for anybody else."""
    customers = list(Customer.objects.filter(memberships__user=person)) or [None]
    for customer in customers:
        record(customer=customer, **entry)
