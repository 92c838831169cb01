"""Plan, change, cancel and approve maintenance: who does it here has the minutes that it touches scored again."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from sla.accounts.models import Customer, User
from sla.accounts.services import record
from sla.contracts.maintenance import OddMaintenance, Places, check, customers_of, disks_of, places_of, put_places
from sla.contracts.models import MaintenanceApproval, MaintenanceWindow
from sla.scoring.services import mark_due

# Who plans for "now" means the minute they look at.
NOW_S = 60


@transaction.atomic
def plan_window(
    *,
    actor: User,
    starts_at: datetime,
    ends_at: datetime,
    reason: str,
    places: Places,
    mutes: bool = True,
    excludes: bool = False,
    now: datetime | None = None,
) -> MaintenanceWindow:
    """A single window. Time that has passed already is taken out of the SLA only with each customer's word: until then
    the window asks for it. OddMaintenance."""
    now = now or timezone.now()
    reason = check(starts_at=starts_at, ends_at=ends_at, reason=reason, places=places, now=now)
    if not (mutes or excludes):
        raise OddMaintenance("mutes", "it neither mutes nor excludes: it would do nothing")
    asks = excludes and (now - starts_at).total_seconds() > NOW_S
    window = MaintenanceWindow.objects.create(
        starts_at=starts_at,
        ends_at=ends_at,
        mutes=mutes,
        excludes=excludes and not asks,
        asks_exclusion=asks,
        reason=reason,
        created_by=actor,
    )
    put_places(window, places)
    _record("maintenance planned", window, actor, after=described(window) | places.named())
    rescore(window, starts_at, ends_at, now)
    return window


@transaction.atomic
def approve(
    *, window: MaintenanceWindow, customer: Customer, actor: User, note: str = "", now: datetime | None = None
) -> MaintenanceWindow:
    """The customer's word. With the last one that is needed the time is taken out and scored again. OddMaintenance."""
    now = now or timezone.now()
    window = MaintenanceWindow.objects.select_for_update().get(pk=window.pk)
    touched = {one.pk for one in customers_of(places_of(window))}
    if window.cancelled_at is not None or not window.asks_exclusion:
        raise OddMaintenance("window", "it asks for nothing (any more)")
    if customer.pk not in touched:
        raise OddMaintenance("customer", f"no disk of {customer} is touched by it")
    if len(note) > 300:
        raise OddMaintenance("note", f"a note of {len(note)} characters: 300 at most")
    word, new = MaintenanceApproval.objects.get_or_create(
        window=window,
        customer=customer,
        defaults={"by": actor, "by_label": actor.get_username(), "note": note, "at": now},
    )
    if not new:
        return window
    window.approvals = [*window.approvals, f"{word}{f': {note}' if note else ''}"[:300]]
    if touched <= set(window.words.values_list("customer", flat=True)):
        window.excludes, window.asks_exclusion = True, False
    window.save()
    _record("exclusion approved", window, actor, customer=customer, after=described(window) | {"note": note})
    if window.excludes:
        rescore(window, window.starts_at, window.ends_at, now)
    return window


@transaction.atomic
def move_window(
    *, window: MaintenanceWindow, actor: User, starts_at: datetime, ends_at: datetime, now: datetime | None = None
) -> MaintenanceWindow:
    """Another time. To take out more of what has passed it asks again; to take out less it needs nobody's word."""
    now = now or timezone.now()
    window = MaintenanceWindow.objects.select_for_update().get(pk=window.pk)
    if window.cancelled_at is not None:
        raise OddMaintenance("window", "it was cancelled")
    places, before = places_of(window), described(window)
    check(starts_at=starts_at, ends_at=ends_at, reason=window.reason, places=places, now=now)
    old_start, old_end = window.starts_at, window.ends_at
    if (window.excludes or window.asks_exclusion) and _takes_more(window, starts_at, ends_at, now):
        window.words.all().delete()
        window.excludes, window.asks_exclusion, window.approvals = False, True, []
    window.starts_at, window.ends_at = starts_at, ends_at
    window.save()
    _record("maintenance moved", window, actor, before=before, after=described(window))
    rescore(window, min(old_start, starts_at), max(old_end, ends_at), now)
    return window


def _takes_more(window: MaintenanceWindow, starts_at: datetime, ends_at: datetime, now: datetime) -> bool:
    """Would any of the past lie in it that does not now?"""
    begin, end = starts_at, min(ends_at, now)
    if end <= begin or (now - begin).total_seconds() <= NOW_S:
        return False
    return begin < window.starts_at or end > min(window.ends_at, now)


@transaction.atomic
def cancel_window(*, window: MaintenanceWindow, actor: User, now: datetime | None = None) -> MaintenanceWindow:
    """It never was: its time counts, also what has passed. Doing it twice changes nothing."""
    now = now or timezone.now()
    window = MaintenanceWindow.objects.select_for_update().get(pk=window.pk)
    if window.cancelled_at is None:
        window.cancelled_at = now
        window.save(update_fields=["cancelled_at"])
        _record("maintenance cancelled", window, actor, before=described(window))
        rescore(window, window.starts_at, window.ends_at, now)
    return window


def rescore(window: MaintenanceWindow, start: datetime, end: datetime, now: datetime) -> None:
    """Mark what has passed of [start, end) for all disks it touches."""
    if start < now:
        disks = disks_of(places_of(window)).values_list("pk", flat=True)
        mark_due(disks=disks, start=start.timestamp() - 60, end=min(end, now).timestamp() + 60)


def described(window: MaintenanceWindow) -> dict[str, object]:
    """For the audit trail."""
    return {
        "starts_at": window.starts_at.isoformat(),
        "ends_at": window.ends_at.isoformat(),
        "mutes": window.mutes,
        "excludes": window.excludes,
        "asks_exclusion": window.asks_exclusion,
    }


def _record(
    verb: str,
    window: MaintenanceWindow,
    actor: User,
    *,
    customer: Customer | None = None,
    before: dict[str, object] | None = None,
    after: dict[str, object] | None = None,
) -> None:
    """Into the audit trail: of the customer it is about, else of everybody whose disks it touches."""
    about = [customer] if customer else list(customers_of(places_of(window))[:100])
    for one in about or [None]:
        record(verb=verb, object_label=str(window)[:200], actor=actor, customer=one, before=before, after=after)


__all__ = ["approve", "cancel_window", "described", "move_window", "plan_window", "rescore"]
