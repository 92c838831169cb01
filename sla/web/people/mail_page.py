"""Where does my mail go? A new address is used once the link that was sent to it has been opened."""

from allauth.account.adapter import get_adapter
from allauth.account.decorators import reauthentication_required
from allauth.account.models import EmailAddress
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from sla.accounts.mail_address import LinkOver, Taken, change_mail_address, link_for, wanted_by
from sla.accounts.models import User
from sla.web.people.invite import NO_MAIL


class MailForm(forms.ModelForm):  # type: ignore[type-arg]
    """Where mail goes, and where a lost password comes back."""

    class Meta:
        model = User
        fields = ("email",)
        labels = {"email": gettext_lazy("Mail address")}

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"]
        if email and User.objects.filter(email__iexact=email).exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError(gettext("Another account has this mail address."))
        if email and settings.EMAIL_BACKEND == NO_MAIL:
            raise forms.ValidationError(gettext("No mail server is set up here, so no address can be verified."))
        return email


@reauthentication_required
@never_cache
@require_http_methods(["GET", "POST"])
def mail_address(request: HttpRequest) -> HttpResponse:
    """Changing it changes who can ask for a new password: only for who has just shown who they are."""
    person = User.objects.get(pk=request.user.pk)
    form = MailForm(request.POST if request.method == "POST" else None, instance=User.objects.get(pk=person.pk))
    if request.method == "POST" and form.is_valid():
        wanted = form.cleaned_data["email"]
        if not wanted:
            _change(person, "")
            messages.success(request, gettext("Kept."))
        elif wanted != person.email:
            link = request.build_absolute_uri(reverse("mail_address_verified", args=[link_for(person, wanted)]))
            get_adapter().send_mail("people/mail/address_wanted", wanted, {"user": person, "link": link})
            said = gettext("Open the link that was sent to %(address)s: until then mail goes where it went.")
            messages.info(request, said % {"address": wanted})
        return redirect("account")
    return render(request, "people/mail_address.html", {"form": form}, status=422 if form.errors else 200)


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def mail_address_verified(request: HttpRequest, link: str) -> HttpResponse:
    """GET asks once more, because mail programs open links by themselves; POST takes the address. 404: it is over."""
    person = User.objects.get(pk=request.user.pk)
    try:
        wanted = wanted_by(link, person)
    except LinkOver as error:
        raise Http404(str(error)) from error
    if request.method == "POST":
        try:
            _change(person, wanted)
        except Taken:
            messages.error(request, gettext("Another account has this mail address."))
        else:
            messages.success(request, gettext("Mail goes to %(address)s from now on.") % {"address": wanted})
        return redirect("account")
    return render(request, "people/mail_address_verified.html", {"wanted": wanted})


def _change(person: User, address: str) -> None:
    was = person.email
    with transaction.atomic():
        change_mail_address(person=person, address=address)
        EmailAddress.objects.filter(user=person).delete()  # else the old one could still ask for a password
    if was:
        get_adapter().send_mail("people/mail/address_changed", was, {"user": person})
