"""What is a window called, for the NOC and for a customer? Customers read of their own disks and of nobody else."""

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext as _

from sla.neighbours.models import Cause, NeighbourWindow, WindowDisk


def several_pools() -> str:
    """Of a window that is wider than its pool; true for whoever reads it."""
    return _("Several storage pools slowed down at the same moment; not caused by one pool’s disks.")


def reason_for_customer(window: NeighbourWindow, mine: Iterable[WindowDisk]) -> str:
    """What happened to them, without a name and without others' figures."""
    mine = list(mine)
    if window.disk_id is not None:
        if window.cause == Cause.SELF:
            return _("Your disk was slower while it asked for more than it usually does.")
        return _("This disk alone was slower than its past at this load.")
    if window.cause == Cause.WIDER:
        return several_pools()
    shares = [part.share for part in mine if part.share is not None]
    if not shares:
        return _("Shared-storage contention.")
    share = 100 * sum(shares)
    return _("Shared-storage contention; your share of the load was %(share)s %%.") % {
        "share": f"{share:.0f}" if share >= 1 else f"{share:.1f}"
    }


def part_of(one: WindowDisk, *, noc: bool) -> dict[str, Any]:
    """One disk's part in a window; who is suspected is for the NOC."""
    part = {"disk": one.disk_id, "slowdown": one.slowdown, "share": one.share}
    return {**part, "role": one.role, "score": one.score, "lag_s": one.lag_s} if noc else part
