"""Who is asking the API? A bearer API token, or the session of a page."""

from django.http import HttpRequest
from django.middleware.csrf import CsrfViewMiddleware
from django.utils import timezone

from sla.accounts.models import User
from sla.accounts.selectors import token_user
from sla.accounts.tokens import bearer

SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}


def _session_may_act(request: HttpRequest) -> bool:
    """A cookie alone may read; to change something the page must also show its CSRF token."""
    if request.method in SAFE_METHODS:
        return True
    check = CsrfViewMiddleware(lambda _request: None)
    return check.process_view(request, lambda: None, (), {}) is None


def reader(request: HttpRequest) -> User | None:
    """The person behind the request, or None (401)."""
    if token := bearer(request.headers.get("Authorization")):
        user = token_user(token, timezone.now(), "read")
        if user is not None:
            request.user = user
        return user
    user = getattr(request, "user", None)
    if user is not None and user.is_authenticated and user.is_active and _session_may_act(request):
        return user
    return None
