"""Who is asking, and which customers may they see?"""

from datetime import datetime, timedelta

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from sla.accounts.address import within
from sla.accounts.models import ApiToken, Customer, User
from sla.accounts.tokens import hash_token

# A token's last use is written at most once a minute: a reader that polls must not write on each look.
LAST_USED_GRAIN = timedelta(minutes=1)


def customers_visible_to(user: User | AnonymousUser) -> QuerySet[Customer]:
    """All for the NOC, one's own for a customer's people, none for a stranger."""
    if not user.is_authenticated or not user.is_active:
        return Customer.objects.none()
    if user.is_noc:
        return Customer.objects.all()
    return Customer.objects.filter(memberships__user=user)


class TokenRefused(Exception):
    """The token is somebody's, but not for this; the message says why."""


def token_user(token: str, now: datetime, scope: str = "read", address: str | None = None) -> User | None:
    """The active person a valid API token acts for, or None; notes the use. TokenRefused: not this, not from there."""
    found = (
        ApiToken.objects.select_related("user")
        .filter(token_hash=hash_token(token), revoked_at=None, user__is_active=True)
        .filter(Q(expires_at=None) | Q(expires_at__gt=now))
        .first()
    )
    if found is None:
        return None
    if address is not None and not within(address, found.networks):
        raise TokenRefused(f"this token may not be used from {address}")
    if scope not in found.scopes:
        raise TokenRefused(f"this token has the scope {', '.join(found.scopes) or 'none'}; this needs {scope}")
    if found.last_used_at is None or now - found.last_used_at > LAST_USED_GRAIN:
        ApiToken.objects.filter(pk=found.pk).update(last_used_at=now)
    found.user.by_token = found.name
    return found.user


def is_noc(user: User | AnonymousUser) -> bool:
    return bool(getattr(user, "is_noc", False))


__all__ = ["TokenRefused", "customers_visible_to", "is_noc", "token_user"]
