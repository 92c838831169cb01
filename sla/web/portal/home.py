"""Where does somebody land? The NOC on the fleet, a customer's people on their customer's page."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from sla.accounts.selectors import customers_visible_to, is_noc


@login_required
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """A signpost; who belongs to nobody yet is told what to do."""
    if is_noc(request.user):
        return redirect("fleet")
    first = customers_visible_to(request.user).order_by("memberships__pk").first()
    if first is None:
        return render(request, "portal/nobody.html")
    return redirect("customer", first.pk)
