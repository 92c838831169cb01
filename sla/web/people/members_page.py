"""Who belongs to this customer, who is invited, and as what?"""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from sla.accounts.invitations import open_invitations, take_back
from sla.accounts.models import Customer, Membership, User
from sla.accounts.people import change_role, remove_member
from sla.accounts.permissions import Verb, may, require
from sla.web.people.ask import invitation_to, member_of, visible_customer
from sla.web.people.invite import InviteForm, send_invitation


@login_required
@require_safe
def members(request: HttpRequest, customer_id: int) -> HttpResponse:
    """Everybody of the customer may read it; who may change something sees how."""
    customer = visible_customer(request, customer_id)
    return _show(request, customer, InviteForm(noc=False))


def _show(request: HttpRequest, customer: Customer, form: InviteForm, status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {
        "customer": customer,
        "form": form,
        "members": Membership.objects.select_related("user").filter(customer=customer).order_by("user__username"),
        "invitations": open_invitations(timezone.now()).filter(customer=customer).order_by("-created_at"),
        "changes": may(request.user, Verb.KEEP_MEMBERS, customer),
        "roles": Membership.Role.choices,
    }
    return render(request, "people/members.html", context, status=status)


@login_required
@require_POST
def invite_member(request: HttpRequest, customer_id: int) -> HttpResponse:
    """Mails a link; its receiver becomes a member."""
    customer = visible_customer(request, customer_id)
    require(request.user, Verb.KEEP_MEMBERS, customer)
    form = InviteForm(request.POST, noc=False)
    if not form.is_valid():
        return _show(request, customer, form, status=422)
    return send_invitation(request, form, customer) or redirect("members", customer.pk)


@login_required
@require_POST
def change_member(request: HttpRequest, customer_id: int, membership_id: int) -> HttpResponse:
    """`role` viewer or manager; `remove` lets them go."""
    customer = visible_customer(request, customer_id)
    membership = member_of(customer, membership_id)
    require(request.user, Verb.KEEP_MEMBERS, customer)
    by = User.objects.get(pk=request.user.pk)
    if "remove" in request.POST:
        remove_member(membership=membership, by=by)
        said = gettext("%(name)s belongs to %(customer)s no more.")
        messages.success(request, said % {"name": membership.user.get_username(), "customer": customer.name})
        # Who removed themselves sees this customer no more.
        return redirect("members", customer.pk) if may(by, Verb.KEEP_MEMBERS, customer) else redirect("home")
    role = request.POST.get("role", "")
    if role not in Membership.Role.values:
        raise BadRequest(f"{role[:40]!r} is no role")
    change_role(membership=membership, role=role, by=by)
    return redirect("members", customer.pk)


@login_required
@require_POST
def withdraw(request: HttpRequest, customer_id: int, invitation_id: int) -> HttpResponse:
    """The link in the mail opens nothing any more."""
    customer = visible_customer(request, customer_id)
    invitation = invitation_to(customer, invitation_id)
    require(request.user, Verb.KEEP_MEMBERS, customer)
    take_back(invitation=invitation, by=User.objects.get(pk=request.user.pk), now=timezone.now())
    return redirect("members", customer.pk)
