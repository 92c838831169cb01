"""Which views of the list does this person keep? Shown above it, kept by name, dropped with one click."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from sla.web.fleet_query import asked_for
from sla.web.models import SavedView

MOST = 30


def tidy(request: HttpRequest, text: str) -> str:
    """A view's address without what is no filter or order: nothing else is ever kept."""
    return asked_for(QueryDict(text.removeprefix("?")[:600]), noc=request.user.is_noc).query()


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def views(request: HttpRequest) -> HttpResponse:
    """`/views?now=…`: the fragment; a POST keeps the view that `query` says under `name`."""
    if request.method == "POST":
        return _keep(request)
    now = tidy(request, request.GET.get("now", ""))
    kept = list(SavedView.objects.filter(user=request.user).order_by("name")[:MOST])
    context = {"views": kept, "now": now, "new": now != "?" and all(view.query != now for view in kept)}
    return render(request, "fleet/views.html", context)


def _keep(request: HttpRequest) -> HttpResponse:
    query = tidy(request, request.POST.get("query", ""))
    name = " ".join(request.POST.get("name", "").split())[:60].replace("\0", "")
    mine = SavedView.objects.filter(user=request.user)
    if not name:
        messages.error(request, gettext("A view needs a name."))
    elif mine.exclude(name=name).count() >= MOST:
        messages.error(request, gettext("%d views are the most: drop one first.") % MOST)
    else:
        SavedView.objects.update_or_create(user=request.user, name=name, defaults={"query": query})
    return redirect(reverse("fleet") + query)


@login_required
@require_POST
def drop(request: HttpRequest, view_id: int) -> HttpResponse:
    """One's own; another's does not exist."""
    SavedView.objects.filter(user=request.user, pk=view_id).delete()
    return redirect("fleet")
