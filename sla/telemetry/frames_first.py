"""Agents' uploads come first: they need no session, locale, template or URL, and they are most of the traffic.

Whatever else is asked goes on to Django. What Django does around each request is done here as far as an upload needs
it: a connection that is too old or no longer usable is closed before it.
"""

from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

from django.db import connection

from sla.telemetry.receive import answer_to

FRAMES_PATH = "/api/v1/frames"
STATUS = {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}
Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def frames_first(others: Wsgi) -> Wsgi:
    """A WSGI application that answers the frames path itself."""

    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] != FRAMES_PATH:
            return others(environ, start_response)
        connection.close_if_unusable_or_obsolete()
        answer = answer_to(environ, environ["wsgi.input"].read)
        start_response(STATUS[answer.status], answer.headers)
        return [answer.body]

    return application
