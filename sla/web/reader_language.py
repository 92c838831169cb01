"""Every page in its reader's language: their own choice, else what the browser asks for."""

from typing import cast

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest
from django.middleware.locale import LocaleMiddleware
from django.utils import translation

from sla.accounts.language import known
from sla.accounts.models import User


class ReaderLanguage(LocaleMiddleware):
    """Behind the middleware of sessions, because it asks who reads."""

    def process_request(self, request: HttpRequest) -> None:
        chosen = _chosen(request)
        if not chosen:
            super().process_request(request)
            return
        translation.activate(known(chosen))
        request.LANGUAGE_CODE = translation.get_language()


def _chosen(request: HttpRequest) -> str:
    """Empty where nothing was chosen, where nobody is logged in, and while the database is away: the view says so."""
    if settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return ""
    try:
        return cast(User, request.user).language if request.user.is_authenticated else ""
    except (OperationalError, InterfaceError):
        return ""
