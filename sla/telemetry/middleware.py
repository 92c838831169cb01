"""Agents' uploads come first: they need no session, locale or template, and they are most of the traffic."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from sla.telemetry.receive import receive

FRAMES_PATH = "/api/v1/frames"


class FramesFirst:
    """Answers the frames path before the other middleware runs."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info == FRAMES_PATH:
            return receive(request)
        return self.get_response(request)
