"""How is somebody invited? A form, the mail with the link, and what happens where the mail does not go out."""

import logging
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.mail import send_mail
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext, gettext_lazy

from sla.accounts.invitations import invite, take_back
from sla.accounts.language import language_of_customer
from sla.accounts.models import Customer, Invitation, Membership, User

logger = logging.getLogger(__name__)
NO_MAIL = "django.core.mail.backends.dummy.EmailBackend"
NOC_ROLES = [(value, word) for value, word in User.NocRole.choices if value]


class InviteForm(forms.Form):
    """To whom, as what."""

    email = forms.EmailField(label=gettext_lazy("Mail address"), max_length=254)
    role = forms.ChoiceField(label=gettext_lazy("Role"))

    def __init__(self, *args: Any, noc: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["role"].choices = NOC_ROLES if noc else Membership.Role.choices


def send_invitation(request: HttpRequest, form: InviteForm, customer: Customer | None) -> HttpResponse | None:
    """Makes the invitation and mails it; one that could not be mailed is taken back at once.

    Where no mail server is set up: the page that shows the link this once, to be handed over by other means.
    """
    now = timezone.now()
    role, by = form.cleaned_data["role"], User.objects.get(pk=request.user.pk)
    invitation, secret = invite(
        email=form.cleaned_data["email"],
        by=by,
        now=now,
        customer=customer,
        role=role if customer else "",
        noc_role="" if customer else role,
    )
    link = request.build_absolute_uri(reverse("invitation", args=[secret]))
    if settings.EMAIL_BACKEND == NO_MAIL:
        shown = render(request, "people/invitation_link.html", {"invitation": invitation, "link": link})
        shown["Cache-Control"] = "no-store"
        return shown
    try:
        with translation.override(language_of_customer(customer)):
            _mail(invitation, {"invitation": invitation, "by": by, "link": link, "noc": customer is None})
    except OSError as error:  # smtplib's errors are OSErrors too
        logger.error("the invitation for %s could not be mailed: %s", invitation.email, error)
        take_back(invitation=invitation, by=by, now=now)
        messages.error(request, gettext("The mail could not be sent, so the invitation was taken back. Try again."))
        return None
    messages.success(request, gettext("%(email)s was invited.") % {"email": invitation.email})
    return None


def _mail(invitation: Invitation, said: dict[str, Any]) -> None:
    subject = " ".join(render_to_string("people/mail/invitation_subject.txt", said).split())
    send_mail(subject, render_to_string("people/mail/invitation_message.txt", said), None, [invitation.email])
