"""One click in a mail: this kind of mail does not come any more. Without a login (RFC 8058)."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from sla.notifications import unsubscribe as links


@csrf_exempt  # mail programs post it, with no page before; the token is what proves it
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Looking changes nothing: scanners follow every link of a mail. POST turns off."""
    asked = links.read(token)
    if asked is None:
        raise Http404
    done = links.turn_off(asked) if request.method == "POST" else None
    return render(request, "notifications/off.html", {"kind": asked.kind, "name": asked.user.email, "done": done})
