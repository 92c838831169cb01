"""A customer's own page: did I get what I pay for, this month and before, and what can I show for it?"""

from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from sla.accounts.models import Customer
from sla.accounts.permissions import Verb, may
from sla.accounts.selectors import customers_visible_to
from sla.domain.period import period_of
from sla.scoring.liability import liability
from sla.web.people.ask import visible_customer
from sla.web.portal import alerts, contention, disks, past, troubles
from sla.web.portal.money import owed_words

WAYS = (
    ("now", gettext_lazy("at once when it is urgent")),
    ("digest", gettext_lazy("in a daily digest")),
    ("off", gettext_lazy("none")),
)
OTHERS = 20  # customers to change to: a person is of one or two


@login_required
@require_safe
def customer_page(request: HttpRequest, customer_id: int) -> HttpResponse:
    """The NOC sees it as the customer's people do."""
    customer = visible_customer(request, customer_id)
    return render(request, "portal/customer.html", shown(request, customer, datetime.now(UTC)))


def shown(request: HttpRequest, customer: Customer, now: datetime) -> dict[str, Any]:
    """Everything on the page."""
    user = request.user
    month = period_of(now, customer.zone)
    makes_keys = may(user, Verb.MAKE_KEYS, customer)
    others = [] if user.is_noc else list(customers_visible_to(user).order_by("name")[:OTHERS])
    return {
        "customer": customer,
        "others": others if len(others) > 1 else [],
        "month": month,
        "begins": month.start,
        **disks.of_customer(user, customer),
        "owed": owed_words(liability(user, customer)),
        "past": past.past_months(user, customer),
        "troubles": troubles.troubles_of(user, customer),
        "windows": contention.windows_of(user, customer, month.start),
        "told": alerts.told(customer),
        "keeps_alerts": may(user, Verb.KEEP_ALERTS, customer),
        "ways": WAYS,
        "keeps_members": may(user, Verb.KEEP_MEMBERS, customer),
        "reads_audit": may(user, Verb.READ_AUDIT, customer),
        "may_make_keys": makes_keys,
        "customers": [customer.name],
    }
