"""Where does somebody land? The NOC on the fleet, a customer's people on their customer's page."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe


@login_required
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """A signpost."""
    return redirect("fleet")
