"""Agents' uploads come first: they need no session, locale, template or URL, and they are most of the traffic.

Whatever else is asked goes on to Django. What Django does around each request is done here as far as an upload needs
it: a connection that is too old or no longer usable is closed before it.
"""

import logging
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

from django.db import connection

from sla.telemetry.receive import Answer, answer_to, refuse

logger = logging.getLogger(__name__)
FRAMES_PATH = "/api/v1/frames"
STATUS = {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}
Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def frames_first(others: Wsgi) -> Wsgi:
    """A WSGI application that answers the frames path itself."""

    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] != FRAMES_PATH:
            return others(environ, start_response)
        answer = _answer(environ)
        start_response(STATUS[answer.status], answer.headers)
        return [answer.body]

    return application


def _answer(environ: dict[str, Any]) -> Answer:
    try:
        connection.close_if_unusable_or_obsolete()
        return answer_to(environ, environ["wsgi.input"].read)
    except Exception:
        # Nobody stands behind this as Django's handler stands behind a view.
        logger.exception("an upload could not be answered")
        connection.close()
        return refuse(500, "internal_error", "the server failed; keep the frames and try again")
