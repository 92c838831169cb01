"""The outbox: what was told to whom, what is still to go out, what failed and why. For the NOC."""

import base64
import re
from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_POST, require_safe

from sla.accounts.models import User
from sla.accounts.permissions import Verb, may, require
from sla.notifications.mime import CHART_CID
from sla.notifications.models import Notice
from sla.notifications.selectors import health, listed
from sla.notifications.services import retry
from sla.web.csp import POLICY

PAGE = 50
OFF_LINK = re.compile(r"(/notifications/off/)[\w:.-]+")
State = Notice.State
# Which of the seven states of a disk looks like this one; the word says what it is.
LOOKS = {
    State.QUEUED: ("idle", gettext_lazy("Waiting")),
    State.SENDING: ("excused", gettext_lazy("Being sent")),
    State.SENT: ("met", gettext_lazy("Sent")),
    State.FAILED: ("at_risk", gettext_lazy("Tried again")),
    State.GIVEN_UP: ("breached", gettext_lazy("Given up")),
    State.FOLDED: ("maintenance", gettext_lazy("Folded")),
    State.KEPT: ("no_data", gettext_lazy("Kept here")),
}
# The mail in a frame: it may show itself and the picture in it, and load, run, send and open nothing.
MAIL_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'; sandbox"
)
View = Callable[..., HttpResponse]


def noc_only(view: View) -> View:
    """For others there is no outbox."""

    @login_required
    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_noc:
            raise Http404
        return view(request, *args, **kwargs)

    return checked


@noc_only
@require_safe
def outbox(request: HttpRequest) -> HttpResponse:
    """The page; for its own refresh only the part that changes."""
    now = timezone.now()
    asked = {name: request.GET.get(name, "").strip()[:100] for name in ("state", "q", "before")}
    found = listed()
    if asked["q"]:
        found = found.filter(_mentions(asked["q"]))
    counts = dict(found.order_by().values_list("state").annotate(count=Count("id")))
    if asked["state"] in State.values:
        found = found.filter(state=asked["state"])
    if asked["before"].isdigit():
        found = found.filter(pk__lt=int(asked["before"][:18]))
    rows = list(found[: PAGE + 1])
    context = {
        "rows": [_row(one) for one in rows[:PAGE]],
        "following": _query(asked, before=rows[PAGE - 1].pk) if len(rows) > PAGE else None,
        "tiles": [
            {"look": look, "word": word, "count": counts.get(state, 0), "chosen": asked["state"] == state}
            | {"query": _query(asked, state="" if asked["state"] == state else state.value, before="")}
            for state, (look, word) in LOOKS.items()
        ],
        "asked": asked,
        "health": health(now),
        "address": _query(asked),
        "now": now,
    }
    template = "outbox_live.html" if request.headers.get("HX-Request") == "true" else "outbox.html"
    return render(request, f"notifications/{template}", context)


def _mentions(words: str) -> Q:
    """Who, to where, about what."""
    named = Q(person__username__icontains=words) | Q(sent_to__icontains=words) | Q(channel__name__icontains=words)
    about = Q(subject__icontains=words) | Q(incident__title__icontains=words)
    return named | about | (Q(incident=int(words.lstrip("#")[:18])) if words.lstrip("#").isdigit() else Q())


def _query(asked: dict[str, str], **change: object) -> str:
    wanted = {name: value for name, value in {**asked, **change}.items() if value}
    return "?" + urlencode(wanted) if wanted else "?"


def _row(one: Notice) -> dict[str, Any]:
    look, word = LOOKS[State(one.state)]
    return {
        "notice": one,
        "look": look,
        "word": word,
        "subject": one.subject or (one.incident.title if one.incident else one.get_topic_display()),
        "waits": one.state == State.QUEUED and one.next_at > timezone.now(),
    }


@noc_only
@require_safe
def notice(request: HttpRequest, notice_id: int) -> HttpResponse:
    """One notice: how it went, and what it says."""
    one = get_object_or_404(Notice.objects.select_related("person", "channel__owner", "incident"), pk=notice_id)
    again = one.state in (State.FAILED, State.GIVEN_UP, State.KEPT) and may(request.user, Verb.HANDLE_INCIDENTS)
    context = {
        **_row(one),
        "plain": _safe(one.plain),
        "may_retry": again,
        "form": "plain" if request.GET.get("form") == "plain" else "html",
    }
    response = render(request, "notifications/notice.html", context)
    policy = POLICY.format(nonce=request.csp_nonce)
    response.headers["Content-Security-Policy"] = f"{policy}; frame-src 'self'"
    return response


@noc_only
@never_cache
@xframe_options_sameorigin
@require_safe
def mail(request: HttpRequest, notice_id: int) -> HttpResponse:
    """The HTML part alone, for the frame: its picture put in, everything else shut off."""
    one = get_object_or_404(Notice, pk=notice_id)
    if not one.html:
        raise Http404
    picture = "data:image/png;base64," + base64.b64encode(bytes(one.chart or b"")).decode()
    response = HttpResponse(_safe(one.html).replace(f"cid:{CHART_CID}", picture))
    response.headers["Content-Security-Policy"] = MAIL_POLICY
    return response


def _safe(text: str) -> str:
    """The link that turns somebody's mail off works for whoever has it: it is for that person's eyes."""
    return OFF_LINK.sub(r"\1…", text)


@noc_only
@require_POST
def try_again(request: HttpRequest, notice_id: int) -> HttpResponse:
    require(request.user, Verb.HANDLE_INCIDENTS)
    one = get_object_or_404(Notice.objects.select_related("person", "channel"), pk=notice_id)
    if retry(notice=one, by=User.objects.get(pk=request.user.pk)):
        messages.success(request, gettext("It is tried again now."))
    else:
        messages.error(request, gettext("There is nothing to try again."))
    return redirect("notice", notice_id)
