"""Active tests: agents tell of them and have acknowledgements witnessed; who may see the disk reads them."""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router

from sla.accounts.address import client_address
from sla.accounts.throttle import secret_failed
from sla.accounts.tokens import bearer, hash_token
from sla.api import openapi
from sla.api.disks import visible_disk
from sla.api.errors import Refused, too_many_tries
from sla.api.paging import DEFAULT_LIMIT, before_moment, checked_limit, encode_cursor
from sla.fleet.models import Machine
from sla.probes import callers, pace, services
from sla.probes.check import Implausible
from sla.probes.models import Record
from sla.probes.selectors import probe_item, probes_of
from sla.probes.shapes import decode_acks, decode_result, decode_verdict
from sla.telemetry.body import BodyRefused, read_body
from sla.telemetry.refusal import Refusal

# 64 steps with a full histogram each are 250 KB.
MOST_BYTES = 512 * 1024
router = Router(tags=["agents"])
of_disk = Router(tags=["evidence"])
Body = TypeVar("Body")


def _machine(request: HttpRequest) -> Machine:
    token = bearer(request.headers.get("Authorization"))
    if token is None:
        raise Refused(401, "unauthorized", "an agent's bearer token is needed; enrol to get one")
    try:
        machine = callers.machine_of(hash_token(token))
    except callers.UnknownAgent as unknown:
        if wait := secret_failed("agent token", client_address(request), token):
            raise too_many_tries(wait) from unknown
        raise Refused(401, "unauthorized", "the agent token is unknown or was replaced; enrol again") from unknown
    if wait := pace.wait_of(machine.pk):
        raise Refused(429, "too_many", f"over {pace.MOST_A_MINUTE} calls a minute", retry_after_s=wait)
    return machine


def _body(request: HttpRequest, decode: Callable[[bytes], Body]) -> Body:
    try:
        return decode(read_body(request, MOST_BYTES))
    except BodyRefused as refused:
        raise Refused(refused.status, refused.code, refused.message) from refused
    except msgspec.ValidationError as error:
        field = str(error).rpartition("$")[2].strip("`. ") or None
        raise Refused(422, "bad_value", str(error), field) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Refused(400, "bad_request", f"the body is not JSON: {error}") from error


def _uid(uid: str) -> str:
    if len(uid) != 32 or not set(uid) <= set("0123456789abcdef"):
        raise Refused(404, "not_found", f"{uid[:40]!r} is no id of a test")
    return uid


def _done(call: Callable[[], Body]) -> Body:
    """Refusals of the verbs as the API words them."""
    try:
        return call()
    except Implausible as error:
        raise Refused(422, "bad_value", str(error), error.field) from error
    except Refusal as error:
        raise Refused(422, error.code, error.message, "device") from error
    except services.Conflict as error:
        raise Refused(409, "conflict", str(error)) from error
    except services.NoSuchProbe as error:
        raise Refused(404, "not_found", str(error)) from error
    except services.TooMany as error:
        raise Refused(429, "too_many", str(error), retry_after_s=600) from error


def _answer(status: int, **body: Any) -> HttpResponse:
    return HttpResponse(msgspec.json.encode(body), status=status, content_type="application/json")


# Agents authenticate by their own token, not as readers.
@router.post("", auth=None, openapi_extra=openapi.PROBE, summary="Tell of an active test", operation_id="probe")
def tell(request: HttpRequest) -> HttpResponse:
    """Steps and fsync rates when they are done, a durability test when it begins. Told twice it is one: 200."""
    machine = _machine(request)
    result = _body(request, decode_result)

    def keep() -> tuple[Any, bool]:
        disk = callers.disk_of(machine, result.device, result.serial, result.wwn)
        return services.keep(machine=machine, disk=disk, result=result, now=timezone.now())

    probe, new = _done(keep)
    return _answer(201 if new else 200, id=probe.uid.hex, disk=probe.disk_id)


@router.post("/{uid}/acks", auth=None, openapi_extra=openapi.ACKS, summary="Blocks that were fsynced")
def acks(request: HttpRequest, uid: str) -> HttpResponse:
    """In order; durable here before the answer, so that the answer outlives a power cut of the machine."""
    machine = _machine(request)
    sent = _body(request, decode_acks)
    count = _done(lambda: services.acknowledge(machine=machine, uid=_uid(uid), acks=sent, now=timezone.now()))
    return _answer(200, acknowledged=count)


@router.post("/{uid}/verdict", auth=None, openapi_extra=openapi.VERDICT, summary="What was there afterwards")
def verdict(request: HttpRequest, uid: str) -> HttpResponse:
    """What the agent found of the acknowledged blocks; it counts once the machine has restarted in between."""
    machine = _machine(request)
    found = _body(request, decode_verdict)
    record = _done(lambda: services.judge(machine=machine, uid=_uid(uid), verdict=found, now=timezone.now()))
    return _answer(200, acknowledged=record.acknowledged, lost=record.lost, restarted=record.restarted)


@router.get("/witnessed", auth=None, summary="What was acknowledged of a file")
def witnessed(request: HttpRequest, target: str = "", uid: str = "") -> HttpResponse:
    """The newest durability test of the calling machine on this target (its hash), or the one of this id."""
    machine = _machine(request)
    if uid:
        record: Record | None = _done(lambda: services.find_record(machine, _uid(uid)))
    else:
        record = services.records_of(machine).filter(target=target[:64]).first()
    if record is None:
        raise Refused(404, "not_found", "this machine has no durability test of that file")
    said = record.probe.said
    return _answer(
        200,
        id=record.probe.uid.hex,
        run=said["run"],
        block_bytes=said["block_bytes"],
        boot_id=said["boot_id"],
        acknowledged=record.acknowledged,
        device=record.probe.disk.device,
    )


@of_disk.get("/{int:disk_id}/probes", summary="Active tests of it")
def probes(request: HttpRequest, disk_id: int, limit: int = DEFAULT_LIMIT, cursor: str = "") -> dict[str, Any]:
    """Newest first: what the agent measured, and for durability what this server witnessed."""
    found = before_moment(probes_of(visible_disk(request, disk_id)), cursor, "started_at")
    limit = checked_limit(limit)
    page = list(found[: limit + 1])
    more, page = len(page) > limit, page[:limit]
    last = page[-1] if more else None
    return {
        "items": [probe_item(probe) for probe in page],
        "next_cursor": encode_cursor(last.started_at.isoformat(), last.pk) if last else None,
    }
