"""What does the link of an invitation open? A form for a new account, or one button for who has one already."""

from allauth.account.models import EmailAddress
from django import forms
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from sla.accounts.address import client_address
from sla.accounts.invitations import NotOpen, Taken, accept, accept_as_new, find
from sla.accounts.models import Invitation, User
from sla.accounts.throttle import secret_failed
from sla.web.people.throttled import too_many


class NewAccountForm(forms.Form):
    """A name and a password."""

    username = forms.CharField(
        label=gettext_lazy("Your name here"),
        max_length=150,
        validators=[UnicodeUsernameValidator()],
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )
    password = forms.CharField(
        label=gettext_lazy("Password"),
        max_length=256,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=gettext_lazy("12 characters or more; not one that many people use."),
    )

    def __init__(self, *args, email: str, **kwargs) -> None:  # type: ignore[no-untyped-def]
        super().__init__(*args, **kwargs)
        self.email = email

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        validate_password(password, User(username=self.cleaned_data.get("username", ""), email=self.email))
        return password


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """The page; POST accepts."""
    try:
        found = find(secret, timezone.now())
        if request.user.is_authenticated:
            return _as_known(request, found)
        return _as_new(request, found)
    except NotOpen as error:
        if wait := secret_failed("invitation", client_address(request), secret):
            return too_many(request, wait)
        return render(request, "people/invitation_over.html", {"why": str(error)}, status=404)


def _as_known(request: HttpRequest, found: Invitation) -> HttpResponse:
    if request.method == "POST":
        accept(invitation=found, user=User.objects.get(pk=request.user.pk), now=timezone.now())
        messages.success(request, gettext("Welcome."))
        return redirect("home")
    return render(request, "people/invitation.html", {"invitation": found})


def _as_new(request: HttpRequest, found: Invitation) -> HttpResponse:
    form = NewAccountForm(request.POST if request.method == "POST" else None, email=found.email)
    if request.method == "POST" and form.is_valid():
        try:
            user = accept_as_new(
                invitation=found,
                username=form.cleaned_data["username"],
                password=form.cleaned_data["password"],
                now=timezone.now(),
            )
        except Taken as error:
            form.add_error(None, str(error))
        else:
            # The link came to this address and back: it is theirs.
            EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
            login(request, user)
            return redirect("home")
    status = 422 if form.errors else 200
    return render(request, "people/invitation.html", {"invitation": found, "form": form}, status=status)
