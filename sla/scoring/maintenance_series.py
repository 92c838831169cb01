"""Maintenance that comes again: a rule, and its windows laid out ahead so that scoring and people see plain windows."""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from sla.accounts.models import User
from sla.accounts.services import record
from sla.contracts.maintenance import OddMaintenance, Places, check, customers_of, places_of, put_places
from sla.contracts.models import MaintenanceSeries, MaintenanceWindow
from sla.domain.recurrence import Recurrence, RuleError, checked_length

# Far enough that a calendar of two months is full; laid out anew each hour.
AHEAD = timedelta(days=70)
LOCAL = "%Y-%m-%dT%H:%M"


def recurrence_of(series: MaintenanceSeries) -> Recurrence:
    """As the domain's."""
    begin = datetime.strptime(series.begins_local, LOCAL)  # noqa: DTZ007  a wall clock has no zone
    return Recurrence(series.rule, begin, timedelta(minutes=series.minutes), series.zone)


@transaction.atomic
def plan_series(
    *,
    actor: User,
    rule: str,
    begins_local: str,
    minutes: int,
    zone: str,
    reason: str,
    places: Places,
    mutes: bool = True,
    excludes: bool = False,
    now: datetime | None = None,
) -> MaintenanceSeries:
    """Windows by a rule on the wall clock of a zone, from now on. OddMaintenance."""
    now = now or timezone.now()
    if not (mutes or excludes):
        raise OddMaintenance("mutes", "it neither mutes nor excludes: it would do nothing")
    try:
        datetime.strptime(begins_local, LOCAL)  # noqa: DTZ007
    except ValueError as error:
        raise OddMaintenance("begins_local", f"{begins_local[:40]!r}: write it like 2026-11-22T02:00") from error
    series = MaintenanceSeries(
        rule=rule.strip(),
        begins_local=begins_local,
        minutes=minutes,
        zone=zone,
        mutes=mutes,
        excludes=excludes,
        laid_out_to=now,
        created_by=actor,
    )
    try:
        length = checked_length(timedelta(minutes=minutes))
        list(recurrence_of(series).occurrences(now, now + AHEAD))
    except RuleError as error:
        field = "zone" if "time zone" in str(error) else "minutes" if "lasts" in str(error) else "rule"
        raise OddMaintenance(field, str(error)) from error
    series.reason = check(starts_at=now, ends_at=now + length, reason=reason, places=places, now=now)
    series.save()
    put_places(series, places)
    for customer in customers_of(places)[:100]:
        record(
            verb="recurring maintenance planned",
            object_label=str(series)[:200],
            actor=actor,
            customer=customer,
            after={"rule": series.rule, "minutes": minutes, "mutes": mutes, "excludes": excludes} | places.named(),
        )
    lay_out(series, now)
    return series


def lay_out(series: MaintenanceSeries, now: datetime) -> int:
    """Make the windows that begin until `AHEAD` from now, never any in the past; how many are new."""
    start, end = max(series.laid_out_to, now), now + AHEAD
    places, made = places_of(series), 0
    for opens, closes in recurrence_of(series).occurrences(start, end):
        window, new = MaintenanceWindow.objects.get_or_create(
            series=series,
            planned_at=opens,
            defaults={
                "starts_at": opens,
                "ends_at": closes,
                "mutes": series.mutes,
                "excludes": series.excludes,
                "reason": series.reason,
                "created_by": series.created_by,
            },
        )
        if new:
            put_places(window, places)
            made += 1
    series.laid_out_to = max(series.laid_out_to, end)
    series.save(update_fields=["laid_out_to"])
    return made


def lay_out_all(*, now: datetime | None = None) -> int:
    """Every series that goes on; how many windows are new."""
    now, made = now or timezone.now(), 0
    for pk in MaintenanceSeries.objects.filter(cancelled_at=None).order_by("pk").values_list("pk", flat=True):
        with transaction.atomic():
            series = MaintenanceSeries.objects.select_for_update(skip_locked=True).filter(pk=pk).first()
            made += lay_out(series, now) if series else 0
    return made


@transaction.atomic
def cancel_series(*, series: MaintenanceSeries, actor: User, now: datetime | None = None) -> MaintenanceSeries:
    """No more of it: windows to come are cancelled, those that have begun stay. Doing it twice changes nothing."""
    now = now or timezone.now()
    series = MaintenanceSeries.objects.select_for_update().get(pk=series.pk)
    if series.cancelled_at is None:
        series.cancelled_at = now
        series.save(update_fields=["cancelled_at"])
        series.windows.filter(starts_at__gt=now, cancelled_at=None).update(cancelled_at=now)
        for customer in customers_of(places_of(series))[:100]:
            record(
                verb="recurring maintenance cancelled",
                object_label=str(series)[:200],
                actor=actor,
                customer=customer,
                before={"rule": series.rule},
            )
    return series
