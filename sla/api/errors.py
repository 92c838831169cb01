"""How does a refusal look? `{"error": {"code", "message", "field"}}` and a status, everywhere the same."""

import logging
from typing import Any

import msgspec
from django.core.exceptions import PermissionDenied
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

logger = logging.getLogger(__name__)
RETRY_AFTER_S = 5


def error_response(
    status: int, code: str, message: str, field: str | None = None, retry_after_s: int = RETRY_AFTER_S
) -> HttpResponse:
    """A refusal; 429 and 503 say when to come again."""
    body = msgspec.json.encode({"error": {"code": code, "message": message, "field": field}})
    response = HttpResponse(body, status=status, content_type="application/json")
    if status in (429, 503):
        response["Retry-After"] = str(retry_after_s)
    if status == 401:
        response["WWW-Authenticate"] = 'Bearer realm="plimsoll"'
    return response


class Refused(Exception):
    """What was asked cannot be done, and why."""

    def __init__(
        self, status: int, code: str, message: str, field: str | None = None, retry_after_s: int = RETRY_AFTER_S
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.field = status, code, message, field
        self.retry_after_s = retry_after_s


def too_many_tries(wait_s: int) -> Refused:
    """Somebody at this address tries one secret after the other."""
    said = f"too many different keys or tokens from your address that nobody has; try again in {wait_s} s"
    return Refused(429, "too_many_tries", said, retry_after_s=wait_s)


def response_of(error: Refused) -> HttpResponse:
    """The same outside of the API's own views."""
    return error_response(error.status, error.code, error.message, error.field, error.retry_after_s)


def database_away(_request: HttpRequest, error: Exception) -> HttpResponse:
    """The database is down or restarting: come again; nothing was taken."""
    logger.error("database is away: %s", error)
    return error_response(503, "database_unavailable", "the database does not answer; nothing was stored, try again")


def register(api: NinjaAPI) -> None:
    """Turn every exception of the API into that one form."""

    def refused(_request: HttpRequest, error: Refused) -> HttpResponse:
        return response_of(error)

    def invalid(_request: HttpRequest, error: ValidationError) -> HttpResponse:
        first: dict[str, Any] = error.errors[0]
        field = str(first["loc"][-1])
        value = f" (got {first['input']!r})" if "input" in first else ""
        return error_response(422, "bad_value", f"{field}: {first['msg']}{value}", field)

    api.add_exception_handler(Refused, refused)
    api.add_exception_handler(ValidationError, invalid)
    api.add_exception_handler(
        AuthenticationError,
        lambda _r, _e: error_response(401, "unauthorized", "a valid bearer token or a session is needed"),
    )
    api.add_exception_handler(
        Http404, lambda _r, error: error_response(404, "not_found", str(error) or "there is no such thing")
    )
    api.add_exception_handler(
        PermissionDenied,
        lambda _r, error: error_response(403, "forbidden", str(error) or "your role does not let you do this"),
    )
    api.add_exception_handler(HttpError, lambda _r, error: error_response(error.status_code, "refused", error.message))
    for away in (OperationalError, InterfaceError):
        api.add_exception_handler(away, database_away)


__all__ = ["Refused", "database_away", "error_response", "register", "response_of", "too_many_tries"]
