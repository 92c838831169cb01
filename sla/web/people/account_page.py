"""My account: who I am, how I come in, where I am logged in."""

from typing import Any

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from sla.accounts.models import Membership, User
from sla.accounts.services import record_of_person
from sla.web.people.browsers import browser_of
from sla.web.people.languages import language_field
from sla.web.people.zones import check_zone, known_zones

SESSIONS_SHOWN = 50


class AccountForm(forms.ModelForm):  # type: ignore[type-arg]
    """What a person may say of themselves."""

    language = language_field(gettext_lazy("as the browser asks"))

    class Meta:
        model = User
        fields = ("first_name", "last_name", "zone", "language")
        labels = {"zone": gettext_lazy("Your time zone")}

    def clean_zone(self) -> str:
        return check_zone(self.cleaned_data["zone"])


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """The page; POST keeps name, zone and language."""
    person = User.objects.get(pk=request.user.pk)
    form = AccountForm(request.POST if request.method == "POST" else None, instance=person)
    if request.method == "POST" and form.is_valid():
        form.save()
        with translation.override(person.language or translation.get_language()):
            messages.success(request, gettext("Kept."))
        return redirect("account")
    return render(request, "people/account.html", _shown(request, form), status=422 if form.errors else 200)


def _shown(request: HttpRequest, form: AccountForm) -> dict[str, Any]:
    keys = list(Authenticator.objects.filter(user=request.user.pk).order_by("created_at"))
    of_type = {kind: [key for key in keys if key.type == kind] for kind in Authenticator.Type.values}
    codes = of_type[Authenticator.Type.RECOVERY_CODES]
    return {
        "form": form,
        "zones": known_zones(),
        "app": next(iter(of_type[Authenticator.Type.TOTP]), None),
        "passkeys": [key.wrap() for key in of_type[Authenticator.Type.WEBAUTHN]],
        "codes_left": len(codes[0].wrap().get_unused_codes()) if codes else None,
        "sessions": _sessions(request),
        "memberships": Membership.objects.select_related("customer").filter(user=request.user.pk).order_by("pk"),
    }


def _sessions(request: HttpRequest) -> list[dict[str, Any]]:
    """Newest first; those that ended by themselves are forgotten."""
    mine = request.session.session_key
    found = UserSession.objects.purge_and_list(request.user)[:SESSIONS_SHOWN]
    shown = [
        {
            "id": one.pk,
            "browser": browser_of(one.user_agent),
            "address": one.ip,
            "began": one.created_at,
            "this": one.session_key == mine,
        }
        for one in found
    ]
    return sorted(shown, key=lambda one: (not one["this"], -one["began"].timestamp()))


@login_required
@require_POST
def end_session(request: HttpRequest) -> HttpResponse:
    """`id` one, without it all but this one. Ended at once: the next request of that browser has to log in."""
    mine = UserSession.objects.filter(user=request.user.pk).exclude(session_key=request.session.session_key)
    if wanted := request.POST.get("id", ""):
        mine = mine.filter(pk=int(wanted)) if wanted.isdecimal() and len(wanted) < 19 else mine.none()
    ended = list(mine)
    with transaction.atomic():
        for session in ended:
            session.end()
        if ended:
            record_of_person(
                User.objects.get(pk=request.user.pk),
                verb="sessions ended",
                object_label=request.user.get_username(),
                actor=request.user,
                after={"sessions": len(ended)},
            )
    return redirect("account")
