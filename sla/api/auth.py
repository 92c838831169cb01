"""Who is asking the API? A bearer API token, or the session of a page."""

from django.http import HttpRequest
from django.middleware.csrf import CsrfViewMiddleware
from django.utils import timezone

from sla.accounts.address import client_address
from sla.accounts.models import User
from sla.accounts.selectors import TokenRefused, token_user
from sla.accounts.throttle import secret_failed
from sla.accounts.tokens import bearer
from sla.api.errors import Refused, too_many_tries

SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}


def _session_may_act(request: HttpRequest) -> bool:
    """A cookie alone may read; to change something the page must also show its CSRF token."""
    if request.method in SAFE_METHODS:
        return True
    check = CsrfViewMiddleware(lambda _request: None)
    return check.process_view(request, lambda: None, (), {}) is None


def scope_of(request: HttpRequest) -> str:
    """What a token must be good for: to ask is to read, everything else is to write."""
    return "read" if request.method in SAFE_METHODS else "write"


def _of_token(request: HttpRequest, token: str) -> User | None:
    address = client_address(request)
    try:
        user = token_user(token, timezone.now(), scope_of(request), address)
    except TokenRefused as refused:
        raise Refused(403, "forbidden", str(refused)) from refused
    if user is None and (wait := secret_failed("API token", address, token)):
        raise too_many_tries(wait)
    return user


def reader(request: HttpRequest) -> User | None:
    """The person behind the request, or None (401). Refused: their token may not do this, or somebody is guessing."""
    if token := bearer(request.headers.get("Authorization")):
        user = _of_token(request, token)
        if user is not None:
            request.user = user
        return user
    user = getattr(request, "user", None)
    if user is not None and user.is_authenticated and user.is_active and _session_may_act(request):
        return user
    return None
