"""Verbs on accounts: make a token, keep the audit trail."""

from datetime import datetime
from typing import Any

from sla.accounts.models import ApiToken, AuditEntry, Customer, User
from sla.accounts.tokens import make_token


def issue_api_token(*, user: User, name: str, scopes: list[str], expires_at: datetime | None = None) -> str:
    """A new token, returned in clear this once."""
    token, token_hash = make_token("api")
    ApiToken.objects.create(user=user, name=name, token_hash=token_hash, scopes=scopes, expires_at=expires_at)
    return token


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
        actor_label=actor_label or (actor.get_username() if actor else "system"),
        customer=customer,
        before=before,
        after=after,
    )
