"""Which enrolment keys are about, and which should open nothing any more?"""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from sla.accounts.models import User
from sla.accounts.permissions import Verb, require
from sla.fleet.keys import open_keys, revoke_key

SHOWN = 200


@login_required
@require_safe
def keys(request: HttpRequest) -> HttpResponse:
    """For who may make them."""
    require(request.user, Verb.MAKE_KEYS)
    return render(request, "people/keys.html", {"keys": open_keys(request.user, timezone.now())[:SHOWN]})


@login_required
@require_POST
def revoke(request: HttpRequest, key_id: int) -> HttpResponse:
    """One of a customer that this person may see."""
    now = timezone.now()
    key = get_object_or_404(open_keys(request.user, now), pk=key_id)
    require(request.user, Verb.MAKE_KEYS, key.customer)
    revoke_key(key=key, by=User.objects.get(pk=request.user.pk), now=now)
    messages.success(request, gettext("%(name)s opens nothing any more.") % {"name": key.name})
    return redirect("keys")
