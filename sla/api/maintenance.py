"""Maintenance: windows, single and recurring; planned and cancelled by the NOC, approved by customers."""

from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest
from ninja import Query, Router, Schema, Status
from pydantic import Field

from sla.accounts.models import Customer, User
from sla.accounts.permissions import Verb, require
from sla.accounts.selectors import customers_visible_to, is_noc
from sla.api.errors import Refused
from sla.api.incidents import unix
from sla.api.paging import DEFAULT_LIMIT, before_moment, checked_limit, encode_cursor
from sla.contracts.maintenance import (
    MOST_NAMED,
    PLACES,
    OddMaintenance,
    Places,
    disks_in_windows,
    places_of,
    windows_visible_to,
)
from sla.contracts.models import MaintenanceSeries, MaintenanceWindow
from sla.fleet.models import Disk, Pool
from sla.scoring import maintenance as verbs
from sla.scoring import maintenance_series as series_verbs

router = Router(tags=["maintenance"])
LATEST_S = 2**32  # the year 2106


class PlacesIn(Schema):
    """What is maintained, by id: any of these."""

    disks: list[int] = Field(default_factory=list, max_length=MOST_NAMED)
    pools: list[int] = Field(default_factory=list, max_length=MOST_NAMED)
    customers: list[int] = Field(default_factory=list, max_length=MOST_NAMED)
    mutes: bool = True
    excludes: bool = False
    reason: str = Field(max_length=300)


class WindowIn(PlacesIn):
    """A single window, in Unix seconds."""

    starts_at: int = Field(ge=0, le=LATEST_S)
    ends_at: int = Field(ge=0, le=LATEST_S)


class SpanIn(Schema):
    """Another time for a window."""

    starts_at: int = Field(ge=0, le=LATEST_S)
    ends_at: int = Field(ge=0, le=LATEST_S)


class SeriesIn(PlacesIn):
    """Windows that come again: an RFC 5545 rule on the wall clock of a zone."""

    rule: str = Field(max_length=300)
    begins_local: str = Field(max_length=16, description="2026-11-22T02:00 on the zone's wall clock")
    minutes: int
    zone: str = Field(max_length=64)


class ApprovalIn(Schema):
    """A customer's word."""

    customer: int
    note: str = Field("", max_length=300)


def item(window: MaintenanceWindow, user: User, disks: list[int]) -> dict[str, Any]:
    """A window as lists show it. To a customer: its own disks, and no pool nor anybody else."""
    found = {
        "id": window.pk,
        "starts_at": unix(window.starts_at),
        "ends_at": unix(window.ends_at),
        "mutes": window.mutes,
        "excludes": window.excludes,
        "asks_exclusion": window.asks_exclusion,
        "reason": window.reason,
        "series": window.series_id,
        "cancelled_at": unix(window.cancelled_at),
        "disks": disks,
    }
    if is_noc(user):
        places = places_of(window)
        found["names"] = places.named()
        found["approvals"] = window.approvals
    return found


def of_series(series: MaintenanceSeries) -> dict[str, Any]:
    """A series as lists show it."""
    return {
        "id": series.pk,
        "rule": series.rule,
        "begins_local": series.begins_local,
        "minutes": series.minutes,
        "zone": series.zone,
        "mutes": series.mutes,
        "excludes": series.excludes,
        "reason": series.reason,
        "cancelled_at": unix(series.cancelled_at),
        "names": places_of(series).named(),
    }


def _places(wanted: PlacesIn) -> Places:
    """Refused for an id that is none."""
    found: dict[str, list[Any]] = {}
    for name, model in (("disks", Disk), ("pools", Pool), ("customers", Customer)):
        ids = set(getattr(wanted, name))
        rows = list(model.objects.filter(pk__in=ids))
        if missing := ids - {row.pk for row in rows}:
            raise Refused(422, "bad_value", f"{name}: there is no {min(missing)}", name)
        found[name] = rows
    return Places(**found)


def _refused(error: OddMaintenance) -> Refused:
    return Refused(422, "bad_value", str(error), error.field)


def _one(window: MaintenanceWindow, user: User) -> dict[str, Any]:
    return item(window, user, disks_in_windows([window], user)[window.pk])


def visible_window(request: HttpRequest, window_id: int) -> MaintenanceWindow:
    """404 for what does not exist and for what the caller may not see alike."""
    window = windows_visible_to(request.user).filter(pk=window_id).first()
    if window is None:
        raise Refused(404, "not_found", f"there is no maintenance window {window_id}")
    return window


@router.get("", summary="Maintenance windows, the latest first")
def windows(
    request: HttpRequest,
    begin: int | None = Query(None, alias="from", ge=0, le=LATEST_S),
    end: int | None = Query(None, alias="to", ge=0, le=LATEST_S),
    cancelled: bool = False,
    limit: int = DEFAULT_LIMIT,
    cursor: str = "",
) -> dict[str, Any]:
    """Those that touch [from, to); without cancelled ones unless they are asked for."""
    found = windows_visible_to(request.user)
    if begin is not None:
        found = found.filter(ends_at__gt=datetime.fromtimestamp(begin, UTC))
    if end is not None:
        found = found.filter(starts_at__lt=datetime.fromtimestamp(end, UTC))
    if not cancelled:
        found = found.filter(cancelled_at=None)
    limit = checked_limit(limit)
    found = before_moment(found, cursor, "starts_at").prefetch_related(*PLACES)
    page = list(found.order_by("-starts_at", "-id")[: limit + 1])
    more, page = len(page) > limit, page[:limit]
    disks = disks_in_windows(page, request.user)
    return {
        "items": [item(one, request.user, disks[one.pk]) for one in page],
        "next_cursor": encode_cursor(page[-1].starts_at.isoformat(), page[-1].pk) if more else None,
    }


@router.post("", summary="Plan a window", response={201: dict[str, Any]})
def plan(request: HttpRequest, body: WindowIn) -> Status:
    """`excludes` for time that has passed waits for the word of every customer it touches (`asks_exclusion`)."""
    require(request.user, Verb.PLAN_MAINTENANCE)
    try:
        window = verbs.plan_window(
            actor=request.user,
            starts_at=datetime.fromtimestamp(body.starts_at, UTC),
            ends_at=datetime.fromtimestamp(body.ends_at, UTC),
            reason=body.reason,
            places=_places(body),
            mutes=body.mutes,
            excludes=body.excludes,
        )
    except OddMaintenance as error:
        raise _refused(error) from error
    return Status(201, _one(window, request.user))


@router.post("/{int:window_id}/move", summary="Give a window another time")
def move(request: HttpRequest, window_id: int, body: SpanIn) -> dict[str, Any]:
    """To take out more of what has passed, it asks for the customers' word again."""
    window = visible_window(request, window_id)
    require(request.user, Verb.PLAN_MAINTENANCE)
    span = [datetime.fromtimestamp(at, UTC) for at in (body.starts_at, body.ends_at)]
    try:
        moved = verbs.move_window(window=window, actor=request.user, starts_at=span[0], ends_at=span[1])
    except OddMaintenance as error:
        raise _refused(error) from error
    return _one(moved, request.user)


@router.post("/{int:window_id}/cancel", summary="Cancel a window")
def cancel(request: HttpRequest, window_id: int) -> dict[str, Any]:
    """Its time counts again, also what has passed."""
    window = visible_window(request, window_id)
    require(request.user, Verb.PLAN_MAINTENANCE)
    return _one(verbs.cancel_window(window=window, actor=request.user), request.user)


@router.post("/{int:window_id}/approve", summary="A customer's word that passed time is taken out")
def approve(request: HttpRequest, window_id: int, body: ApprovalIn) -> dict[str, Any]:
    """By a manager of the customer whose time it is."""
    window = visible_window(request, window_id)
    customer = customers_visible_to(request.user).filter(pk=body.customer).first()
    if customer is None:
        raise Refused(422, "bad_value", f"there is no customer {body.customer}", "customer")
    require(request.user, Verb.APPROVE_EXCLUSIONS, customer)
    try:
        done = verbs.approve(window=window, customer=customer, actor=request.user, note=body.note)
    except OddMaintenance as error:
        raise _refused(error) from error
    return _one(done, request.user)


def _series_for_the_noc(request: HttpRequest) -> None:
    if not is_noc(request.user):
        raise Refused(404, "not_found", "there is no such thing")


@router.get("/series", summary="Recurring maintenance")
def series(request: HttpRequest) -> dict[str, Any]:
    """Those that go on; customers read their windows."""
    _series_for_the_noc(request)
    rows = MaintenanceSeries.objects.filter(cancelled_at=None).prefetch_related(*PLACES).order_by("-id")[:500]
    return {"items": [of_series(one) for one in rows], "next_cursor": None}


@router.post("/series", summary="Plan recurring maintenance", response={201: dict[str, Any]})
def plan_series(request: HttpRequest, body: SeriesIn) -> Status:
    """Its windows are laid out ten weeks ahead, and further as time goes on."""
    _series_for_the_noc(request)
    require(request.user, Verb.PLAN_MAINTENANCE)
    try:
        made = series_verbs.plan_series(
            actor=request.user,
            rule=body.rule,
            begins_local=body.begins_local,
            minutes=body.minutes,
            zone=body.zone,
            reason=body.reason,
            places=_places(body),
            mutes=body.mutes,
            excludes=body.excludes,
        )
    except OddMaintenance as error:
        raise _refused(error) from error
    return Status(201, of_series(made))


@router.post("/series/{int:series_id}/cancel", summary="No more of a series")
def cancel_series(request: HttpRequest, series_id: int) -> dict[str, Any]:
    """Windows to come are cancelled; those that have begun stay."""
    _series_for_the_noc(request)
    require(request.user, Verb.PLAN_MAINTENANCE)
    found = MaintenanceSeries.objects.filter(pk=series_id).first()
    if found is None:
        raise Refused(404, "not_found", f"there is no series {series_id}")
    return of_series(series_verbs.cancel_series(series=found, actor=request.user))
