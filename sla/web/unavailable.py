"""What does a person read while the database is away? A page that says so and comes again by itself."""

from collections.abc import Callable

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

RETRY_S = 10


class DatabaseAway:
    """503 instead of 500; the API says it in its own words before this is asked."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Only for a database that does not answer; other errors are ours."""
        if not isinstance(error, OperationalError | InterfaceError):
            return None
        # Without a request: nothing on this page may ask the database who is logged in.
        page = render_to_string("503.html")
        return HttpResponse(page, status=503, headers={"Retry-After": str(RETRY_S), "Refresh": str(RETRY_S)})
