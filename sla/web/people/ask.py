"""Whose page is it? A customer that the asking person may see, or 404; and one of its people or invitations."""

from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from sla.accounts.models import Customer, Invitation, Membership
from sla.accounts.selectors import customers_visible_to


def visible_customer(request: HttpRequest, customer_id: int) -> Customer:
    """404 for what they may not see, as if it were not there."""
    return get_object_or_404(customers_visible_to(request.user), pk=customer_id)


def member_of(customer: Customer, membership_id: int) -> Membership:
    return get_object_or_404(Membership.objects.select_related("user", "customer"), pk=membership_id, customer=customer)


def invitation_to(customer: Customer | None, invitation_id: int) -> Invitation:
    return get_object_or_404(Invitation.objects.select_related("customer"), pk=invitation_id, customer=customer)
