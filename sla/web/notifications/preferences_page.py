"""What do I want to be told, when, and by which ways?"""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from sla.accounts.models import User
from sla.accounts.permissions import Verb, may
from sla.accounts.selectors import customers_visible_to
from sla.fleet.models import Pool
from sla.notifications.models import Channel, Notice, Preference
from sla.notifications.services import send_test, set_preference

CLASSES = (
    ("page", gettext_lazy("Page"), gettext_lazy("a contract is being broken now")),
    ("ticket", gettext_lazy("Ticket"), gettext_lazy("needs looking at on a working day")),
    ("info", gettext_lazy("Information"), gettext_lazy("good to know")),
)
LATEST = 8


class PreferenceForm(forms.ModelForm):  # type: ignore[type-arg]
    """Fields of the NOC are dropped for a customer's people."""

    class Meta:
        model = Preference
        fields = (
            *("page", "ticket", "info", "quiet_from", "quiet_to", "quiet_for_pages", "digest_at"),
            *("pools", "customers"),
        )

    def clean(self) -> dict[str, Any]:
        wanted = super().clean() or {}
        if (wanted.get("quiet_from") is None) != (wanted.get("quiet_to") is None):
            raise forms.ValidationError(gettext("Quiet hours need both ends, or none."))
        return wanted


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def preferences(request: HttpRequest) -> HttpResponse:
    """The page; POST keeps what was chosen."""
    kept = Preference.objects.filter(user=request.user).first() or Preference(user=request.user)
    form = PreferenceForm(request.POST if request.method == "POST" else None, instance=kept)
    if request.method == "POST" and form.is_valid():
        set_preference(user=User.objects.get(pk=request.user.pk), wanted=form.cleaned_data)
        messages.success(request, gettext("Kept. It holds from the next notice on."))
        return redirect("notifications")
    return render(request, "notifications/preferences.html", page(request, form), status=422 if form.errors else 200)


def page(request: HttpRequest, form: PreferenceForm, **more: Any) -> dict[str, Any]:
    """What the page shows; a new channel's secret comes with `more`."""
    user = request.user
    noc_ways = may(user, Verb.KEEP_ALERTS) and user.is_noc
    mine = Channel.objects.filter(owner=user, active=True).order_by("id")
    chosen = {
        name: {str(getattr(one, "pk", one)) for one in form[name].value() or ()} for name in ("pools", "customers")
    }
    return {
        "form": form,
        "classes": [(name, word, what, form[name].value()) for name, word, what in CLASSES],
        "ways": Preference._meta.get_field("page").choices,
        "channels": list(mine),
        "noc_channels": list(Channel.objects.filter(owner=None, active=True).order_by("id")) if noc_ways else None,
        "pools": Pool.objects.order_by("name")[:500] if user.is_noc else [],
        "customers": customers_visible_to(user).order_by("name")[:500] if user.is_noc else [],
        "chosen": chosen,
        "latest": Notice.objects.filter(person=user, state=Notice.State.SENT).order_by("-id")[:LATEST],
        **more,
    }


@login_required
@require_POST
def test_mail(request: HttpRequest) -> HttpResponse:
    """One to oneself."""
    user = User.objects.get(pk=request.user.pk)
    if not user.email:
        messages.error(request, gettext("There is no mail address in your account to send it to."))
    else:
        send_test(person=user)
        messages.success(request, gettext("A test is on its way to %(to)s.") % {"to": user.email})
    return redirect("notifications")
