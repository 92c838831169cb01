"""Which months are to be stated? Those that closed and have no statement, and those that were corrected since."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import F, Min
from django.utils import timezone

from sla.accounts.models import Customer, User
from sla.domain.period import PeriodError, parse_period, period_of
from sla.reports.keys import NoKey
from sla.reports.models import Batch, Handover, Statement
from sla.reports.selectors import last_closed_month
from sla.reports.services import NotClosedYet, NothingToState, freeze
from sla.scoring.models import Correction

# Statements made in one call: the beat comes again in two minutes.
LIMIT = 200
LATE = "data that came after it was stated"
Progress = Callable[[int, int], None]
CANNOT = (NotClosedYet, NothingToState, PeriodError, NoKey)


def freeze_due(*, now: datetime | None = None, limit: int = LIMIT) -> int:
    """State what is due; how many statements were made. A month that cannot be stated yet comes up again."""
    now = now or timezone.now()
    made = 0
    for customer, period, reason in _due(now):
        if made >= limit:
            break
        try:
            freeze(customer=customer, period=period, reason=reason, now=now)
            made += 1
        except (NotClosedYet, NothingToState):
            continue
    return made


def _due(now: datetime) -> Iterable[tuple[Customer, str, str]]:
    stated = set(Statement.objects.filter(issue=1).values_list("customer_id", "period"))
    gave_away = set(Handover.objects.values_list("before", flat=True))
    first_frame = Min("machines__disks__now__first_at")
    for customer in Customer.objects.annotate(first_frame=first_frame).order_by("pk"):
        period = last_closed_month(customer, now)
        had_disks = customer.first_frame is not None and customer.first_frame < period.end
        if (had_disks or customer.pk in gave_away) and (customer.pk, period.text) not in stated:
            yield customer, period.text, ""
    newer = (
        Statement.objects.filter(superseded_by=None)
        .filter(
            customer__machines__disks__closings__period=F("period"),
            customer__machines__disks__closings__number__gt=0,
            customer__machines__disks__closings__made_at__gt=F("frozen_at"),
        )
        .select_related("customer")
        .defer("canonical")
        .distinct()
    )
    for statement in newer:
        reasons = Correction.objects.filter(
            disk__machine__customer=statement.customer,
            period=statement.period,
            number__gt=0,
            made_at__gt=statement.frozen_at,
        )
        yield statement.customer, statement.period, reasons.order_by("pk").values_list("reason", flat=True)[0]


def recheck(*, now: datetime | None = None) -> int:
    """Months whose frames may still come late: those that say something else now are corrected; how many were."""
    now = now or timezone.now()
    recent = [period_of(now, "UTC")]
    while recent[-1].end > now - timedelta(days=settings.FRAMES_KEEP_DAYS):
        recent.append(recent[-1].previous())
    stated = Statement.objects.filter(superseded_by=None, period__in=[one.text for one in recent], frozen_at__lt=now)
    made = 0
    for statement in stated.select_related("customer").defer("canonical"):
        try:
            freeze(customer=statement.customer, period=statement.period, reason=LATE, now=now)
            made += 1
        except (NotClosedYet, NothingToState):
            continue
    return made


def begin_batch(*, period: str, customers: Sequence[Customer] | None = None, actor: User | None = None) -> Batch:
    """A month to be stated for these customers, or all. PeriodError."""
    parse_period(period)
    count = Customer.objects.count() if customers is None else len(customers)
    return Batch.objects.create(period=period, made_by=actor, customers=count)


def run_batch(
    batch: Batch,
    customers: Iterable[Customer] | None = None,
    *,
    reason: str = "",
    now: datetime | None = None,
    progress: Progress = lambda done, all_: None,
) -> Batch:
    """Do it, one customer after the other; what could not be stated is noted with its sentence and holds up nobody.

    Customers whose month is stated already and has not changed are passed over in silence.
    """
    listed = list(Customer.objects.order_by("name") if customers is None else customers)
    for customer in listed:
        try:
            freeze(customer=customer, period=batch.period, reason=reason, actor=batch.made_by, now=now)
            batch.made += 1
        except CANNOT as error:
            if not (isinstance(error, NothingToState) and _is_stated(customer, batch.period)):
                batch.problems = [*batch.problems, [customer.name, str(error)]]
        batch.done += 1
        batch.save(update_fields=["done", "made", "problems"])
        progress(batch.done, len(listed))
    batch.finished_at = timezone.now()
    batch.save(update_fields=["finished_at"])
    return batch


def _is_stated(customer: Customer, period: str) -> bool:
    return Statement.objects.filter(customer=customer, period=period).exists()
