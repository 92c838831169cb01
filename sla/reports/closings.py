"""Is every disk's month written down as closed? What it was found to be since then becomes a numbered correction."""

from datetime import datetime

from sla.accounts.models import Customer
from sla.domain.period import parse_period
from sla.fleet.models import Disk
from sla.fleet.vantage import Vantage
from sla.reports.custody import Held, disks_held
from sla.scoring.closing import NotClosedYet, correct
from sla.scoring.models import Correction
from sla.scoring.score import compute_score, measure
from sla.scoring.terms import moment

# Zones lie up to 14 hours either side of UTC: a month somewhere is within this of the same month in UTC.
ZONES_S = 14 * 3600


def disks_of_month(customer: Customer, period: str) -> dict[Disk, list[Held]]:
    """The disks this customer held in a month, wherever its calendar begins. PeriodError."""
    asked = parse_period(period)
    start, end = asked.start.timestamp() - ZONES_S, asked.end.timestamp() + ZONES_S
    return disks_held(customer, moment(start), moment(end))


def write_down(customer: Customer, period: str, now: datetime) -> int:
    """Close what is over and has no closing yet; how many were written. Open months are left alone. PeriodError."""
    held = disks_of_month(customer, period)
    closings = Correction.objects.filter(disk__in=[disk.pk for disk in held], period=period, number=0)
    closed = set(closings.values_list("disk_id", flat=True))
    written = 0
    for disk in held:
        if disk.pk in closed or getattr(disk, "now", None) is None:
            continue
        got = measure(disk.pk, period, now=now)
        if got.closed:
            _, made = Correction.objects.get_or_create(
                disk_id=disk.pk,
                vantage=Vantage.of(got.contract.vantage) if got.contract else Vantage.GUEST,
                period=period,
                number=0,
                defaults={"score": compute_score(disk.pk, period, now=now), "made_at": now},
            )
            written += made
    return written


def number_changes(customer: Customer, period: str, reason: str, now: datetime) -> int:
    """A correction for every disk whose closed month is another now; how many there were."""
    numbered = 0
    for disk in disks_of_month(customer, period):
        try:
            numbered += correct(disk=disk, period=period, reason=reason, now=now) is not None
        except NotClosedYet:
            continue
    return numbered
