"""Other ways than mail: add one, try it, remove it. Addresses are secrets: no page shows them again."""

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from sla.accounts.models import User
from sla.accounts.permissions import Verb, may
from sla.notifications.models import SEVERITIES, Channel, Preference
from sla.notifications.services import Refused, add_channel, remove_channel, send_test
from sla.web.notifications.preferences_page import PreferenceForm, page


class ChannelForm(forms.Form):
    """`whose`: one's own, or the NOC's."""

    kind = forms.ChoiceField(choices=Channel.Kind.choices)
    name = forms.CharField(max_length=100)
    address = forms.CharField(max_length=1000)
    least = forms.ChoiceField(choices=SEVERITIES)
    whose = forms.ChoiceField(choices=[("mine", "mine"), ("noc", "noc")], required=False)


def theirs(user: User) -> Q:
    """Which channels somebody may try and remove: their own, and an administrator the NOC's."""
    own = Q(owner=user)
    return own | Q(owner=None) if user.is_noc and may(user, Verb.KEEP_ALERTS) else own


@login_required
@never_cache
@require_POST
def add(request: HttpRequest) -> HttpResponse:
    """The page again: with a webhook's secret, this once, or with what was wrong."""
    user = User.objects.get(pk=request.user.pk)
    kept = Preference.objects.filter(user=user).first() or Preference(user=user)
    form, wrong, secret = ChannelForm(request.POST), "", None
    if form.is_valid():
        wanted = dict(form.cleaned_data)
        noc = wanted.pop("whose") == "noc" and user.is_noc and may(user, Verb.KEEP_ALERTS)
        try:
            _, secret = add_channel(by=user, owner=None if noc else user, **wanted)
        except Refused as why:
            wrong = gettext("This address cannot be used: %(why)s.") % {"why": why}
    else:
        wrong = " ".join(str(error) for errors in form.errors.values() for error in errors)
    if not wrong and secret is None:
        messages.success(request, gettext("Added. Send a test to see that it arrives."))
        return redirect("notifications")
    context = page(request, PreferenceForm(instance=kept), wrong=wrong, secret=secret, typed=request.POST)
    return render(request, "notifications/preferences.html", context, status=422 if wrong else 200)


@login_required
@require_POST
def test(request: HttpRequest, channel_id: int) -> HttpResponse:
    channel = get_object_or_404(Channel.objects.filter(theirs(request.user), active=True), pk=channel_id)
    send_test(person=channel.owner, channel=channel)
    messages.success(request, gettext("A test is on its way by %(name)s.") % {"name": channel.name})
    return redirect("notifications")


@login_required
@require_POST
def remove(request: HttpRequest, channel_id: int) -> HttpResponse:
    channel = get_object_or_404(Channel.objects.filter(theirs(request.user), active=True), pk=channel_id)
    remove_channel(channel=channel, by=User.objects.get(pk=request.user.pk))
    messages.success(request, gettext("%(name)s is removed.") % {"name": channel.name})
    return redirect("notifications")
