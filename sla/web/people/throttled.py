"""What does somebody read who has to wait? 429 with the time, as a page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

# allauth's own limits (mails that reset a password, codes of a second factor) are at most this long.
LONGEST_S = 300


def too_many(request: HttpRequest, wait_s: int = LONGEST_S) -> HttpResponse:
    """The page; `Retry-After` in seconds."""
    answer = render(request, "429.html", {"minutes": -(-wait_s // 60)}, status=429)
    answer["Retry-After"] = str(wait_s)
    return answer
