"""A manager chooses who of the customer gets alert mail."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from sla.accounts.models import User
from sla.accounts.permissions import Verb, require
from sla.domain.notices.wishes import Way
from sla.notifications.for_members import NotTheirs, choose_for
from sla.web.people.ask import member_of, visible_customer


@login_required
@require_POST
def choose_alerts(request: HttpRequest, customer_id: int, membership_id: int) -> HttpResponse:
    """`way`: now, digest or off."""
    customer = visible_customer(request, customer_id)
    membership = member_of(customer, membership_id)
    require(request.user, Verb.KEEP_ALERTS, customer)
    try:
        way = Way(request.POST.get("way", ""))
    except ValueError as error:
        raise BadRequest(str(error)) from error
    try:
        choose_for(membership=membership, way=way, by=User.objects.get(pk=request.user.pk))
    except NotTheirs as error:
        messages.error(request, str(error))
    return redirect("customer", customer.pk)
