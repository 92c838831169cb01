"""Who is of the NOC, and as what? Its own people read it, its administrators change it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from sla.accounts.invitations import open_invitations, take_back
from sla.accounts.models import User
from sla.accounts.people import LastOne, change_noc_role
from sla.accounts.permissions import Verb, may, require
from sla.accounts.selectors import is_noc
from sla.web.people.ask import invitation_to
from sla.web.people.invite import NOC_ROLES, InviteForm, send_invitation


def _noc_only(request: HttpRequest) -> None:
    """For a customer's people there is no such page."""
    if not is_noc(request.user):
        raise Http404


@login_required
@require_safe
def noc_people(request: HttpRequest) -> HttpResponse:
    """The list."""
    _noc_only(request)
    return _show(request, InviteForm(noc=True))


def _show(request: HttpRequest, form: InviteForm, status: int = 200) -> HttpResponse:
    context = {
        "form": form,
        "people": User.objects.exclude(noc_role="").filter(is_active=True).order_by("username"),
        "invitations": open_invitations(timezone.now()).filter(customer=None).order_by("-created_at"),
        "changes": may(request.user, Verb.KEEP_NOC_PEOPLE),
        "roles": NOC_ROLES,
    }
    return render(request, "people/noc.html", context, status=status)


@login_required
@require_POST
def invite_to_noc(request: HttpRequest) -> HttpResponse:
    """Mails a link; its receiver becomes one of the NOC."""
    _noc_only(request)
    require(request.user, Verb.KEEP_NOC_PEOPLE)
    form = InviteForm(request.POST, noc=True)
    if not form.is_valid():
        return _show(request, form, status=422)
    return send_invitation(request, form, None) or redirect("noc_people")


@login_required
@require_POST
def change_noc_person(request: HttpRequest, person_id: int) -> HttpResponse:
    """`role` viewer, operator or admin; `remove` lets them go."""
    _noc_only(request)
    person = get_object_or_404(User.objects.exclude(noc_role=""), pk=person_id)
    require(request.user, Verb.KEEP_NOC_PEOPLE)
    role = "" if "remove" in request.POST else request.POST.get("role", "?")
    if role not in User.NocRole.values:
        raise BadRequest(f"{role[:40]!r} is no role")
    try:
        change_noc_role(person=person, role=role, by=User.objects.get(pk=request.user.pk))
    except LastOne as error:
        messages.error(request, str(error))
    return redirect("noc_people")


@login_required
@require_POST
def withdraw_from_noc(request: HttpRequest, invitation_id: int) -> HttpResponse:
    """The link in the mail opens nothing any more."""
    _noc_only(request)
    invitation = invitation_to(None, invitation_id)
    require(request.user, Verb.KEEP_NOC_PEOPLE)
    take_back(invitation=invitation, by=User.objects.get(pk=request.user.pk), now=timezone.now())
    return redirect("noc_people")
