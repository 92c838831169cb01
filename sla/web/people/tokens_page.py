"""Which programs may act for me? Tokens: made here, shown once, revoked here."""

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from sla.accounts.address import parse_networks
from sla.accounts.models import ApiToken, User
from sla.accounts.permissions import Verb, may
from sla.accounts.services import issue_api_token, revoke_api_token

DAYS = (
    (7, gettext_lazy("a week")),
    (30, gettext_lazy("30 days")),
    (90, gettext_lazy("90 days")),
    (365, gettext_lazy("a year")),
)
MOST_NETWORKS = 20
# More than a person has programs; it keeps the page a page.
MOST_TOKENS = 50
SHOWN = 200


class TokenForm(forms.Form):
    """What it is for and how far it reaches."""

    name = forms.CharField(max_length=100)
    scope = forms.ChoiceField(choices=[("read", gettext_lazy("read")), ("write", gettext_lazy("read and write"))])
    days = forms.TypedChoiceField(coerce=int, choices=DAYS, initial=90)
    networks = forms.CharField(max_length=1000, required=False)

    def clean_networks(self) -> list[str]:
        try:
            found = parse_networks(self.cleaned_data["networks"])
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error
        if len(found) > MOST_NETWORKS:
            raise forms.ValidationError(gettext("At most %(most)d networks.") % {"most": MOST_NETWORKS})
        return found


def _mine(user: User, everybodys: bool) -> QuerySet[ApiToken]:
    tokens = ApiToken.objects.select_related("user").filter(revoked_at=None).order_by("-created_at")
    return tokens if everybodys and may(user, Verb.REVOKE_TOKENS) else tokens.filter(user=user.pk)


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """The list; POST makes one and shows it this once."""
    form = TokenForm(request.POST if request.method == "POST" else None)
    made = None
    if request.method == "POST" and form.is_valid():
        if _mine(request.user, everybodys=False).count() >= MOST_TOKENS:
            form.add_error(None, gettext("You have %(most)d already: revoke one first.") % {"most": MOST_TOKENS})
        else:
            made = _make(request, form.cleaned_data)
    everybodys = "all" in request.GET
    context = {
        "form": form if made is None else TokenForm(),
        "made": made,
        "tokens": _mine(request.user, everybodys)[:SHOWN],
        "all": everybodys and may(request.user, Verb.REVOKE_TOKENS),
        "sees_all": may(request.user, Verb.REVOKE_TOKENS),
        "now": timezone.now(),
        "days": DAYS,
    }
    return render(request, "people/tokens.html", context, status=422 if form.errors else 200)


def _make(request: HttpRequest, wanted: dict[str, Any]) -> str:
    return issue_api_token(
        user=User.objects.get(pk=request.user.pk),
        name=wanted["name"],
        scopes=["read", "write"] if wanted["scope"] == "write" else ["read"],
        networks=wanted["networks"],
        expires_at=timezone.now() + timedelta(days=wanted["days"]),
    )


@login_required
@require_POST
def revoke_token(request: HttpRequest, token_id: int) -> HttpResponse:
    """One's own; anybody's for who may. Others' do not exist."""
    token = get_object_or_404(_mine(request.user, everybodys=True), pk=token_id)
    revoke_api_token(token=token, by=User.objects.get(pk=request.user.pk), now=timezone.now())
    messages.success(request, gettext("%(name)s opens nothing any more.") % {"name": token.name})
    return redirect("tokens")
