"""What stands beside the list of the fleet: what the month owes so far, and which storage is contended now."""

from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from sla.domain.price_text import print_fee
from sla.figures import month_alone
from sla.neighbours.models import Role, WindowDisk
from sla.neighbours.selectors import windows_visible_to
from sla.scoring.liability import liability
from sla.web.pools.words import listed

MOST = 5


@login_required
@require_safe
def beside(request: HttpRequest) -> HttpResponse:
    """A fragment of its own: the list must not wait for it."""
    noc = request.user.is_noc
    windows = list(windows_visible_to(request.user).filter(end=None, disk=None).order_by("-severity")[: MOST + 1])
    parts: dict[int, list[WindowDisk]] = {window.pk: [] for window in windows}
    rows = WindowDisk.objects.filter(window__in=list(parts), role__in=(Role.SUSPECT, Role.VICTIM))
    for part in rows.select_related("disk__machine") if noc else ():
        parts[part.window_id].append(part)
    context = {
        "owed": _owed(request) if noc else [],
        "windows": [listed(window, noc, parts[window.pk]) for window in windows[:MOST]],
        "more": len(windows) > MOST,
        "month": month_alone(datetime.now(UTC)),
    }
    return render(request, "noc/beside.html", context)


def _owed(request: HttpRequest) -> list[dict[str, Any]]:
    return [
        {
            "proved": print_fee(one.proved_cents, currency),
            "up_to": print_fee(one.up_to_cents, currency),
            "disks": one.disks,
            "fee": bool(currency),
        }
        for currency, one in sorted(liability(request.user).items(), reverse=True)
    ]
