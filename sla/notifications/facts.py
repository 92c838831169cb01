"""What is there to say of an incident to this reader?

The NOC sees all of it; a customer their own disks, and no name of anybody else.
"""

from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from sla.accounts.models import User
from sla.domain.display import percent
from sla.domain.incidents.words import Kind
from sla.figures import decimal, whole
from sla.incidents.models import Incident, IncidentDisk
from sla.incidents.selectors import disks_in
from sla.incidents.titles import customers_title
from sla.scoring.models import DiskNow
from sla.scoring.terms import contract_of

WORST = 3


@dataclass(frozen=True, slots=True)
class DiskLine:
    """One of the worst disks."""

    disk: int
    name: str
    customer: str  # empty for a customer's own people
    promise: str
    figures: str
    budget: str
    since: datetime
    until: datetime | None
    url: str
    threshold_ms: float | None
    vantage: int


@dataclass(frozen=True, slots=True)
class Facts:
    """`disks` counts those this reader may see that are in it now, `ever` those that ever were."""

    title: str
    kind: Kind
    likely: bool
    opened_at: datetime
    resolved_at: datetime | None
    disks: int
    ever: int
    customers: int
    worst: list[DiskLine]
    lead: IncidentDisk | None
    url: str


def facts_of(incident: Incident, reader: User | None) -> Facts:
    """`reader` None: the NOC as a whole."""
    noc = reader is None or reader.is_noc
    seen = incident.disks.select_related("disk__machine__customer", "disk__pool", "disk__now")
    rows = list(seen if reader is None else disks_in(incident, reader))
    active = [row for row in rows if row.until is None]
    shown = sorted(active or rows, key=badness, reverse=True)
    return Facts(
        title=incident.title if noc else title_for_customer(incident, rows),
        kind=Kind(incident.kind),
        likely=incident.suspected,
        opened_at=min((row.since for row in rows), default=incident.opened_at),
        resolved_at=incident.resolved_at,
        disks=len(active),
        ever=len(rows),
        customers=len({row.disk.machine.customer_id for row in rows}),
        worst=[line_of(row, noc=noc) for row in shown[:WORST]],
        lead=shown[0] if shown else None,
        url=settings.BASE_URL + incident.get_absolute_url(),
    )


def title_for_customer(incident: Incident, rows: list[IncidentDisk]) -> str:
    """Counts their own disks, and names neither a pool nor anybody else."""
    kind = Kind(incident.kind)
    if not rows:
        return _("an incident")
    return customers_title(kind, len(rows), str(rows[0].disk), rows[0].disk.machine.hostname)


def badness(row: IncidentDisk) -> tuple[float, float, float]:
    """Share of slow requests in its last minutes, share of the load that did not come through, pace of the budget."""
    seen = row.figures
    eligible, slow = seen.get("eligible") or 0, seen.get("slow") or 0
    delivered = seen.get("delivered_ratio")
    return (
        max(slow / eligible if eligible else 0.0, 0.0 if delivered is None else 1 - delivered),
        seen.get("burn_rate") or 0.0,
        seen.get("await_ms") or 0.0,
    )


def line_of(row: IncidentDisk, *, noc: bool) -> DiskLine:
    disk = row.disk
    stands: DiskNow | None = getattr(disk, "now", None)
    contract = contract_of(stands.term) if stands and stands.term else None
    return DiskLine(
        disk=disk.pk,
        name=str(disk),
        customer=disk.machine.customer.name if noc else "",
        promise=contract.text if contract else "",
        figures=figures_of(row),
        budget=budget_of(stands),
        since=row.since,
        until=row.until,
        url=settings.BASE_URL + reverse("disk", args=[disk.pk]),
        threshold_ms=min(contract.thresholds_us) / 1000 if contract else None,
        vantage=stands.vantage if stands else 1,
    )


def figures_of(row: IncidentDisk) -> str:
    """What is wrong with it, in figures: 'delivered 41 % of the contract', '93 % of 12,345 requests too slow'."""
    seen, parts = row.figures, []
    eligible, slow, delivered = seen.get("eligible"), seen.get("slow"), seen.get("delivered_ratio")
    if delivered is not None and delivered < 1:
        share = percent(Fraction(delivered), 0)
        parts.append(_("%(share)s %% of the contracted load came through") % {"share": share})
    if eligible and slow:
        share = decimal(percent(Fraction(slow, eligible), 1 if slow < eligible else 0) or "")
        said = _("%(share)s %% of %(count)s requests too slow, last minutes")
        parts.append(said % {"share": share, "count": whole(eligible)})
    if (wait := seen.get("await_ms")) is not None:
        parts.append(_("%(ms)s ms on average") % {"ms": decimal(f"{wait:.3g}")})
    return " · ".join(parts)


def budget_of(stands: DiskNow | None) -> str:
    """'37 % left · 41,200 slow requests', 'overspent by 38 % · 156,600 slow requests over'."""
    if stands is None or stands.budget_left_estimate is None:
        return ""
    left, count = stands.budget_left_estimate, stands.budget_total - stands.slow
    words = {"share": percent(Fraction(abs(left)), 0), "count": whole(abs(int(count)))}
    if left < 0:
        return _("overspent by %(share)s %% · %(count)s slow requests over") % words
    return _("%(share)s %% left · %(count)s slow requests") % words
