"""Silences: who asked for quiet, about what, until when; what one would hide; set and ended."""

from datetime import UTC, datetime
from typing import Any

from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from ninja import Router, Schema, Status
from pydantic import Field

from sla.accounts.models import Customer
from sla.accounts.permissions import Verb, require
from sla.accounts.selectors import is_noc
from sla.api.errors import Refused
from sla.api.incidents import unix
from sla.api.paging import DEFAULT_LIMIT, before_moment, checked_limit, encode_cursor
from sla.fleet.models import Disk, Machine, Pool
from sla.incidents import silences as verbs
from sla.incidents.models import Incident, Silence

router = Router(tags=["incidents"])
LATEST_S = 2**32  # the year 2106


class SilenceIn(Schema):
    """What is to be quiet, by id; each that is given must fit."""

    reason: str = Field(max_length=300)
    ends_at: int = Field(ge=0, le=LATEST_S)
    starts_at: int | None = Field(None, ge=0, le=LATEST_S)
    kinds: list[str] = Field(default_factory=list, max_length=20)
    incident: int | None = None
    pool: int | None = None
    machine: int | None = None
    customer: int | None = None
    disk: int | None = None


def item(silence: Silence) -> dict[str, Any]:
    """A silence as lists show it."""
    return {
        "id": silence.pk,
        "author": silence.author_label,
        "reason": silence.reason,
        "starts_at": unix(silence.starts_at),
        "ends_at": unix(silence.ends_at),
        "cancelled_at": unix(silence.cancelled_at),
        "names": verbs.named(silence),
    }


def _for_the_noc(request: HttpRequest) -> None:
    """Silences name pools and other customers: outside the NOC there are none."""
    if not is_noc(request.user):
        raise Refused(404, "not_found", "there is no such thing")


def _draft(request: HttpRequest, wanted: SilenceIn) -> Silence:
    require(request.user, Verb.HANDLE_INCIDENTS)
    kinds: dict[str, QuerySet[Any]] = {
        "incident": Incident.objects.all(),
        "pool": Pool.objects.all(),
        "machine": Machine.objects.all(),
        "customer": Customer.objects.all(),
        "disk": Disk.objects.all(),
    }
    places: dict[str, Model | None] = {}
    for name, known in kinds.items():
        pk = getattr(wanted, name)
        places[name] = known.filter(pk=pk).first() if pk is not None else None
        if pk is not None and places[name] is None:
            raise Refused(422, "bad_value", f"there is no {name} {pk}", name)
    try:
        return verbs.draft(
            author=request.user,
            reason=wanted.reason,
            starts_at=datetime.fromtimestamp(wanted.starts_at, UTC) if wanted.starts_at is not None else None,
            ends_at=datetime.fromtimestamp(wanted.ends_at, UTC),
            kinds=wanted.kinds,
            **places,
        )
    except verbs.OddSilence as error:
        raise Refused(422, "bad_value", str(error), error.field) from error


@router.get("", summary="Silences, those that end last first")
def silences(request: HttpRequest, state: str = "", limit: int = DEFAULT_LIMIT, cursor: str = "") -> dict[str, Any]:
    """`state=active`: those that hold now."""
    _for_the_noc(request)
    if state not in ("", "active"):
        raise Refused(422, "bad_value", f"state is {state[:40]!r}: it must be active or nothing", "state")
    found = Silence.objects.select_related("incident", "pool", "machine", "customer", "disk__machine")
    if state:
        now = timezone.now()
        found = found.filter(cancelled_at=None, starts_at__lte=now, ends_at__gt=now)
    found = before_moment(found, cursor, "ends_at")
    limit = checked_limit(limit)
    page = list(found.order_by("-ends_at", "-id")[: limit + 1])
    more, page = len(page) > limit, page[:limit]
    return {
        "items": [item(one) for one in page],
        "next_cursor": encode_cursor(page[-1].ends_at.isoformat(), page[-1].pk) if more else None,
    }


@router.post("/preview", summary="What a silence would hide")
def preview(request: HttpRequest, body: SilenceIn) -> dict[str, Any]:
    """Nothing is stored."""
    _for_the_noc(request)
    found = verbs.preview(_draft(request, body))
    return {
        "open": [{"id": one.pk, "title": one.title} for one in found.open_now],
        "last_week": found.last_week,
        "of_last_week": found.of_last_week,
    }


@router.post("", summary="Set a silence", response={201: dict[str, Any]})
def set_silence(request: HttpRequest, body: SilenceIn) -> Status:
    """Incidents go on and are shown; nobody is notified of them."""
    _for_the_noc(request)
    return Status(201, item(verbs.silence(wanted=_draft(request, body))))


@router.post("/{int:silence_id}/end", summary="End a silence")
def end_silence(request: HttpRequest, silence_id: int) -> dict[str, Any]:
    """What it kept back is said at once."""
    _for_the_noc(request)
    require(request.user, Verb.HANDLE_INCIDENTS)
    found = Silence.objects.filter(pk=silence_id).first()
    if found is None:
        raise Refused(404, "not_found", f"there is no silence {silence_id}")
    return item(verbs.end_silence(silence=found, actor=request.user))
