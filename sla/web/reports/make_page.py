"""State a month: for everybody in the background with progress, or for one customer at once."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from sla.accounts.permissions import Verb, require
from sla.accounts.selectors import customers_visible_to
from sla.domain.period import PeriodError, parse_period
from sla.reports import tasks
from sla.reports.due import begin_batch
from sla.reports.keys import NoKey
from sla.reports.models import Batch
from sla.reports.services import NotClosedYet, NothingToState, freeze

MAX_REASON = 300


@login_required
@require_POST
def make(request: HttpRequest) -> HttpResponse:
    """`period`, and `customer` (a name) for one only; `reason` stands in a correction."""
    require(request.user, Verb.CORRECT_STATEMENTS)
    named = request.POST.get("customer", "").strip()[:200]
    reason = request.POST.get("reason", "").strip()[:MAX_REASON]
    try:
        period = parse_period(request.POST.get("period", "").strip()[:20]).text
        if not named:
            return _everybody(request, period)
        customer = get_object_or_404(customers_visible_to(request.user), name=named)
        made = freeze(customer=customer, period=period, reason=reason, actor=request.user)
    except (PeriodError, NotClosedYet, NothingToState, NoKey) as error:
        messages.error(request, str(error))
        return redirect("reports")
    messages.success(request, gettext("%(number)s is frozen and signed.") % {"number": made.number})
    return redirect("report", report=made.pk)


def _everybody(request: HttpRequest, period: str) -> HttpResponse:
    """One batch at a time: a second push of the button joins the one that runs."""
    with transaction.atomic():
        running = Batch.objects.select_for_update().filter(period=period, finished_at=None).first()
        batch = running or begin_batch(period=period, actor=request.user)
    if running is None:
        transaction.on_commit(lambda: tasks.run_batch.delay(batch.pk))
    return redirect(f"{reverse('reports')}?period={period}")
