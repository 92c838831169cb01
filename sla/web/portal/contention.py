"""When was shared storage busy with somebody else's load? Windows that touched this customer's disks, without names."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, FloatField, Q, Sum
from django.db.models.functions import Cast
from django.utils.translation import gettext_lazy

from sla.accounts.models import Customer, User
from sla.figures import decimal
from sla.neighbours.models import Cause, NeighbourWindow
from sla.neighbours.selectors import windows_visible_to

SHOWN = 10
# Who else is on the storage is nobody's business here: what it was is.
WORDS = {
    Cause.NEIGHBOUR: gettext_lazy("load of others on the shared storage"),
    Cause.BACKEND: gettext_lazy("the storage itself was slow"),
    Cause.WIDER: gettext_lazy("several storage pools slowed down at the same moment"),
    Cause.DISK: gettext_lazy("this disk alone was slow"),
    Cause.SELF: gettext_lazy("the load of your own disks"),
    Cause.UNKNOWN: gettext_lazy("the cause is not known"),
}


def windows_of(user: User | AnonymousUser, customer: Customer, since: datetime) -> list[dict[str, Any]]:
    """Newest first: from when to when, how many of their disks, how slow, their share of the load."""
    mine = Q(disks__disk__machine__customer=customer)
    found = (
        windows_visible_to(user)
        .filter(mine | Q(disk__machine__customer=customer), Q(end=None) | Q(end__gt=since))
        .annotate(
            touched=Count("disks", filter=mine, distinct=True),
            share=Sum(Cast("disks__share", FloatField()), filter=mine),
        )
        .order_by("-start", "-pk")[:SHOWN]
    )
    return [_said(window) for window in found]


def _said(window: NeighbourWindow) -> dict[str, Any]:
    return {
        "start": window.start,
        "end": window.end,
        "disks": max(1, window.touched),
        "times": decimal(f"{window.severity:.1f}"),
        "what": WORDS[Cause(window.cause)],
        "share": None if window.share is None else f"{min(100, int(100 * window.share))} %",
    }
