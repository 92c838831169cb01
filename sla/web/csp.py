"""What may a page load and run? Only what this server serves; one inline script, the import map, by a nonce."""

import secrets
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

# No 'unsafe-inline' anywhere: styles are classes, or set on elements by our own modules (which CSP allows).
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' 'nonce-{nonce}'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "object-src 'none'",
        "frame-ancestors 'none'",
    )
)


class ContentSecurityPolicy:
    """Gives each request a nonce and each answer the policy that names it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.csp_nonce = secrets.token_urlsafe(16)
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY.format(nonce=request.csp_nonce))
        return response
