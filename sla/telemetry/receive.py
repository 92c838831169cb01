"""`POST /api/v1/frames`: who sends, what is in it, what of it was taken. Answers only after the frames are durable."""

import logging
import time

import msgspec
import psycopg
from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse

from sla.accounts.tokens import bearer, hash_token
from sla.telemetry import store
from sla.telemetry.body import BodyRefused, read_body
from sla.telemetry.ingest import Outcome, ingest
from sla.telemetry.wire import Request, json_request, packed_request

logger = logging.getLogger(__name__)
RETRY_AFTER_S = 5
encode = msgspec.json.Encoder().encode


def refuse(status: int, code: str, message: str) -> HttpResponse:
    """The whole request is refused."""
    response = HttpResponse(
        encode({"error": {"code": code, "message": message, "field": None}}),
        status=status,
        content_type="application/json",
    )
    if status == 401:
        response["WWW-Authenticate"] = 'Bearer realm="plimsoll"'
    if status == 503:
        response["Retry-After"] = str(RETRY_AFTER_S)
    return response


def receive(request: HttpRequest) -> HttpResponse:
    """The view."""
    if request.method != "POST":
        return refuse(405, "method_not_allowed", f"{request.method}: frames are sent with POST")
    token = bearer(request.META.get("HTTP_AUTHORIZATION"))
    if token is None:
        return refuse(401, "unauthorized", "an agent's bearer token is needed; enrol to get one")
    try:
        with store.upload() as cursor:
            caller = store.take_agent(cursor, hash_token(token))
            if caller is None:
                return refuse(401, "unauthorized", "the agent token is unknown or was replaced; enrol again")
            sent, packed = _read(request)
            outcome = ingest(cursor, caller, sent, packed=packed, now=time.time())
    except BodyRefused as refused:
        return refuse(refused.status, refused.code, refused.message)
    except (OperationalError, InterfaceError, psycopg.OperationalError, psycopg.InterfaceError) as error:
        logger.error("database is away: %s", error)
        return refuse(503, "database_unavailable", "the database does not answer; keep the frames and try again")
    return _answer(outcome)


def _read(request: HttpRequest) -> tuple[Request, bool]:
    """The request's frames, still raw; BodyRefused where it is not even that."""
    kind = request.META.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
    if kind not in ("application/json", "application/msgpack"):
        raise BodyRefused(
            415, "unsupported_type", f"Content-Type {kind[:60]!r}: send application/json or application/msgpack"
        )
    body = read_body(request, settings.INGEST_MAX_BYTES)
    packed = kind == "application/msgpack"
    try:
        sent = (packed_request if packed else json_request).decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BodyRefused(400, "bad_request", f"the body is not a request of frames: {error}") from error
    if len(sent.frames) > settings.INGEST_MAX_FRAMES:
        raise BodyRefused(
            413, "too_many_frames", f"{len(sent.frames)} frames; at most {settings.INGEST_MAX_FRAMES} a request"
        )
    return sent, packed


def _answer(outcome: Outcome) -> HttpResponse:
    return HttpResponse(
        encode(
            {
                "accepted": outcome.accepted,
                "duplicates": outcome.duplicates,
                "rejected": outcome.rejected,
                "policy": outcome.policy,
            }
        ),
        content_type="application/json",
    )
