"""`POST /api/v1/frames`: who sends, what is in it, what of it was taken. Answers only after the frames are durable.

`answer_to` is all of it, of a request as WSGI brings it; `receive` is the same as a view of Django's.
"""

import logging
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import msgspec
import psycopg
from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.db import InterfaceError, OperationalError, connection
from django.http import HttpRequest, HttpResponse

from sla.accounts.address import client_address
from sla.accounts.throttle import secret_failed
from sla.accounts.tokens import bearer, hash_token
from sla.telemetry.body import BodyRefused, unpacked
from sla.telemetry.ingest import Outcome, UnknownAgent, caller_of, ingest
from sla.telemetry.upload import Upload, json_upload, packed_upload

logger = logging.getLogger(__name__)
RETRY_AFTER_S = 5
AWAY = (OperationalError, InterfaceError, psycopg.OperationalError, psycopg.InterfaceError)
JSON = ("Content-Type", "application/json")
NO_SNIFFING = ("X-Content-Type-Options", "nosniff")
encode = msgspec.json.Encoder().encode
T = TypeVar("T")
Environ = dict[str, Any]
Read = Callable[[int], bytes]


class Answer(NamedTuple):
    """What goes back."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


def refuse(status: int, code: str, message: str, retry_after_s: int = RETRY_AFTER_S) -> Answer:
    """The whole request is refused."""
    headers = [JSON, NO_SNIFFING]
    if status == 401:
        headers.append(("WWW-Authenticate", 'Bearer realm="plimsoll"'))
    if status in (429, 503):
        headers.append(("Retry-After", str(retry_after_s)))
    return Answer(status, headers, encode({"error": {"code": code, "message": message, "field": None}}))


def steadily(call: Callable[[], T]) -> T:
    """Once more on a new connection: this thread's may have died with a database that is back. Both calls here may
    be repeated: a frame that was stored after all is a duplicate the second time."""
    try:
        return call()
    except AWAY:
        connection.close()
        return call()


def receive(request: HttpRequest) -> HttpResponse:
    """The view."""
    answer = answer_to(request.META, request.read)
    return HttpResponse(answer.body, status=answer.status, headers=dict(answer.headers))


def answer_to(environ: Environ, read: Read) -> Answer:
    """What an upload is told; `read` gives so many bytes of its body at most."""
    if environ["REQUEST_METHOD"] != "POST":
        return refuse(405, "method_not_allowed", f"{environ['REQUEST_METHOD'][:20]}: frames are sent with POST")
    token = bearer(environ.get("HTTP_AUTHORIZATION"))
    if token is None:
        return refuse(401, "unauthorized", "an agent's bearer token is needed; enrol to get one")
    token_hash = hash_token(token)
    try:
        steadily(lambda: caller_of(token_hash))  # before anything of the body is unpacked
        sent = _read(environ, read)
        return _told(steadily(lambda: ingest(token_hash, sent, now=time.time())))
    except UnknownAgent:
        if wait := secret_failed("agent token", client_address(WSGIRequest(environ)), token):
            return refuse(429, "too_many_tries", "too many different unknown tokens from your address", wait)
        return refuse(401, "unauthorized", "the agent token is unknown or was replaced; enrol again")
    except BodyRefused as refused:
        return refuse(refused.status, refused.code, refused.message)
    except AWAY as error:
        connection.close()
        logger.error("database is away: %s", error)
        return refuse(503, "database_unavailable", "the database does not answer; keep the frames and try again")


def _read(environ: Environ, read: Read) -> Upload:
    """The request's frames, not yet checked; BodyRefused where it is not even that."""
    kind = environ.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
    if kind not in ("application/json", "application/msgpack"):
        raise BodyRefused(
            415, "unsupported_type", f"Content-Type {kind[:60]!r}: send application/json or application/msgpack"
        )
    body = unpacked(environ, read, settings.INGEST_MAX_BYTES)
    try:
        sent = (packed_upload if kind == "application/msgpack" else json_upload)(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BodyRefused(400, "bad_request", f"the body is not a request of frames: {error}") from error
    if len(sent.frames) > settings.INGEST_MAX_FRAMES:
        raise BodyRefused(
            413, "too_many_frames", f"{len(sent.frames)} frames; at most {settings.INGEST_MAX_FRAMES} a request"
        )
    return sent


def _told(outcome: Outcome) -> Answer:
    said = {
        "accepted": outcome.accepted,
        "duplicates": outcome.duplicates,
        "rejected": outcome.rejected,
        "policy": outcome.policy,
    }
    return Answer(200, [JSON, NO_SNIFFING], encode(said))
