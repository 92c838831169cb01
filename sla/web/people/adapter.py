"""How do people come in? allauth's login, with our throttle, our audit trail, and no way to sign up uninvited."""

import logging
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext

from sla.accounts.address import client_address
from sla.accounts.models import User
from sla.accounts.services import record_of_person
from sla.accounts.throttle import password_failed, password_wait
from sla.web.people.throttled import too_many

logger = logging.getLogger(__name__)
# What allauth tells a person by mail, and the word for it in the trail.
TRAIL = {
    "account/email/password_changed": "password changed",
    "account/email/password_set": "password set",
    "account/email/password_reset": "password reset by mail",
    "mfa/email/totp_activated": "second factor added: app",
    "mfa/email/totp_deactivated": "second factor removed: app",
    "mfa/email/webauthn_added": "passkey added",
    "mfa/email/webauthn_removed": "passkey removed",
    "mfa/email/recovery_codes_generated": "recovery codes made",
}
# Said by the page that follows anyway.
UNSAID = ("account/messages/logged_in.txt", "account/messages/logged_out.txt")


def _account(credentials: dict[str, Any]) -> str:
    return str(credentials.get("username") or credentials.get("email") or "")


class AccountAdapter(DefaultAccountAdapter):
    """What differs from allauth's own."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """By invitation only."""
        return False

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_address(request)

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """A customer's people land on their own page, the NOC on the fleet."""
        return reverse("home")

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account")

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Before the password is looked at: also a right one has to wait after too many wrong ones."""
        if wait := password_wait(client_address(request), _account(credentials)):
            raise ImmediateHttpResponse(too_many(request, wait))

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        password_failed(client_address(request), _account(credentials))

    def validation_error(self, code: str, *args: Any) -> ValidationError:
        """Too many codes of a second factor: 429 as everywhere, not a line in a form."""
        if code in ("too_many_login_attempts", "rate_limited") and self.request is not None:
            raise ImmediateHttpResponse(too_many(self.request))
        error: ValidationError = super().validation_error(code, *args)
        return error

    def post_login(self, request: HttpRequest, user: User, **more: Any) -> HttpResponse:
        after = {"address": client_address(request)}
        record_of_person(user, verb="logged in", object_label=user.get_username(), actor=user, after=after)
        response: HttpResponse = super().post_login(request, user, **more)
        return response

    @transaction.atomic
    def send_notification_mail(
        self, template_prefix: str, user: User, context: dict[str, Any] | None = None, email: str | None = None
    ) -> None:
        """A change of how somebody comes in: into the trail, and to their own mail address."""
        verb = TRAIL.get(template_prefix, template_prefix.rpartition("/")[2].replace("_", " "))
        after = {"address": client_address(self.request)}
        record_of_person(user, verb=verb, object_label=user.get_username(), actor=user, after=after)
        if to := email or user.email:
            super().send_notification_mail(template_prefix, user, context, to)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """In the language that its reader chose. A server that is away breaks no page: it can be tried again."""
        person = context.get("user")
        try:
            with translation.override(person.language if person and person.language else translation.get_language()):
                super().send_mail(template_prefix, email, context)
        except OSError as error:  # smtplib's errors are OSErrors too
            logger.error("%s could not be mailed: %s", template_prefix, error)
            said = gettext("The mail could not be sent. Try again later, or ask an administrator.")
            messages.error(self.request, said)

    def add_message(
        self, request: HttpRequest, level: int, message_template: str | None = None, *args: Any, **more: Any
    ) -> None:
        if message_template not in UNSAID:
            super().add_message(request, level, message_template, *args, **more)
