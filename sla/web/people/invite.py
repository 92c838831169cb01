"""How is somebody invited? A form, the mail with the link, and what happens where the mail does not go out."""

import logging
from typing import Any

from django import forms
from django.contrib import messages
from django.core.mail import send_mail
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from sla.accounts.invitations import invite, take_back
from sla.accounts.models import Customer, Membership, User

logger = logging.getLogger(__name__)
NOC_ROLES = [(value, word) for value, word in User.NocRole.choices if value]


class InviteForm(forms.Form):
    """To whom, as what."""

    email = forms.EmailField(label=gettext_lazy("Mail address"), max_length=254)
    role = forms.ChoiceField(label=gettext_lazy("Role"))

    def __init__(self, *args: Any, noc: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["role"].choices = NOC_ROLES if noc else Membership.Role.choices


def send_invitation(request: HttpRequest, form: InviteForm, customer: Customer | None) -> bool:
    """Makes the invitation and mails it; one that could not be mailed is taken back at once."""
    now = timezone.now()
    role = form.cleaned_data["role"]
    invitation, secret = invite(
        email=form.cleaned_data["email"],
        by=User.objects.get(pk=request.user.pk),
        now=now,
        customer=customer,
        role=role if customer else "",
        noc_role="" if customer else role,
    )
    said = {
        "invitation": invitation,
        "by": request.user,
        "link": request.build_absolute_uri(reverse("invitation", args=[secret])),
        "noc": customer is None,
    }
    subject = " ".join(render_to_string("people/mail/invitation_subject.txt", said).split())
    try:
        send_mail(subject, render_to_string("people/mail/invitation_message.txt", said), None, [invitation.email])
    except OSError as error:  # smtplib's errors are OSErrors too
        logger.error("the invitation for %s could not be mailed: %s", invitation.email, error)
        take_back(invitation=invitation, by=User.objects.get(pk=request.user.pk), now=now)
        messages.error(request, gettext("The mail could not be sent, so the invitation was taken back. Try again."))
        return False
    messages.success(request, gettext("%(email)s was invited.") % {"email": invitation.email})
    return True
