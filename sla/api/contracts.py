"""Contracts: what is promised to whom, what a text would mean, a new version of it, and which disk it judges."""

from datetime import UTC, datetime
from typing import Any

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from ninja import Router, Schema, Status
from pydantic import Field

from sla.accounts.permissions import Verb, require
from sla.accounts.selectors import customers_visible_to
from sla.api.errors import Refused
from sla.api.paging import DEFAULT_LIMIT, checked_limit, decode_cursor, encode_cursor
from sla.contracts.models import Assignment, Contract, ContractVersion
from sla.contracts.services import add_version
from sla.contracts.visible import contracts_visible_to
from sla.domain.contract import PPM
from sla.domain.contract_check import check_contract
from sla.domain.contract_text import ContractTextError, parse_contract
from sla.fleet.models import Disk
from sla.fleet.selectors import disks_visible_to
from sla.scoring.terms_changed import TooLate, assign_and_rescore

router = Router(tags=["contracts"])
LONGEST_TEXT = 500
LATEST_S = 2**32  # the year 2106
MS = 1000


class TextIn(Schema):
    """A contract as people type it."""

    text: str = Field(max_length=LONGEST_TEXT)


class ContractIn(TextIn):
    """A new contract; `customer` is null for one that may judge anybody's disks."""

    name: str = Field(min_length=1, max_length=100)
    customer: int | None = None


class AssignmentIn(Schema):
    """From `valid_from` (Unix seconds; null: now) this version judges the disk; the past is scored again."""

    version: int
    valid_from: int | None = Field(None, ge=0, le=LATEST_S)


def unix(moment: datetime | None) -> int | None:
    """Unix seconds, null where there is none."""
    return None if moment is None else int(moment.timestamp())


def version_item(version: ContractVersion) -> dict[str, Any]:
    """A version as lists show it."""
    return {"id": version.pk, "number": version.number, "text": version.text, "created_at": unix(version.created_at)}


def item(contract: Contract) -> dict[str, Any]:
    """A contract with its versions, newest first."""
    return {
        "id": contract.pk,
        "name": contract.name,
        "customer": contract.customer_id,
        "is_default": contract.is_default,
        "versions": [version_item(one) for one in sorted(contract.versions.all(), key=lambda one: -one.number)],
    }


def assignment_item(assignment: Assignment) -> dict[str, Any]:
    """Which version judges a disk from when to when; null is its first frame, and still."""
    return {
        "id": assignment.pk,
        "disk": assignment.disk_id,
        "version": assignment.version_id,
        "valid_from": unix(assignment.valid_from),
        "valid_to": unix(assignment.valid_to),
    }


def _contract(request: HttpRequest, contract_id: int) -> Contract:
    found = contracts_visible_to(request.user).prefetch_related("versions").filter(pk=contract_id).first()
    if found is None:
        raise Refused(404, "not_found", f"there is no contract {contract_id}")
    return found


def _disk(request: HttpRequest, disk_id: int) -> Disk:
    found = disks_visible_to(request.user).filter(pk=disk_id).first()
    if found is None:
        raise Refused(404, "not_found", f"there is no disk {disk_id}")
    return found


def _parsed(text: str) -> Any:
    try:
        return parse_contract(text)
    except ContractTextError as error:
        raise Refused(422, "bad_value", str(error), "text") from error


@router.get("/contracts", summary="Contracts that you may see, by id")
def contracts(request: HttpRequest, limit: int = DEFAULT_LIMIT, cursor: str = "") -> dict[str, Any]:
    """Your own ones, and those that judge or judged your disks."""
    limit, key = checked_limit(limit), decode_cursor(cursor, 1)
    found = contracts_visible_to(request.user).prefetch_related("versions").order_by("pk")
    if key is not None:
        if not isinstance(key[0], int):
            raise Refused(422, "bad_value", f"cursor {cursor[:60]!r} is not one that this list gave", "cursor")
        found = found.filter(pk__gt=key[0])
    page = list(found[: limit + 1])
    more, page = len(page) > limit, page[:limit]
    return {"items": [item(one) for one in page], "next_cursor": encode_cursor(page[-1].pk) if more else None}


@router.post("/contracts/check", summary="What a contract's text means, and what it would cost")
def check(request: HttpRequest, body: TextIn) -> dict[str, Any]:
    """Nothing is stored. `warnings`: what is allowed but can surprise; an error points at the word that is wrong."""
    terms = _parsed(body.text)
    return {
        "text": terms.text,
        "objective": terms.objective_ppm / PPM,
        "read_threshold_ms": terms.read_threshold_us / MS,
        "write_threshold_ms": terms.write_threshold_us / MS,
        "iops": terms.iops,
        "io_unit_bytes": terms.io_unit_bytes,
        "tolerance": terms.tolerance_ppm / PPM,
        "depth": terms.depth,
        "vantage": terms.vantage,
        "budget_by": terms.budget_by,
        "zone": terms.zone,
        "min_eligible": terms.min_eligible,
        "warnings": [{"code": one.code, "message": one.text} for one in check_contract(terms)],
    }


@router.post("/contracts", summary="Write a contract", response={201: dict[str, Any]})
def write(request: HttpRequest, body: ContractIn) -> Status:
    """Its first version judges nothing before it is assigned."""
    require(request.user, Verb.KEEP_CONTRACTS)
    _parsed(body.text)
    customer = None
    if body.customer is not None:
        customer = customers_visible_to(request.user).filter(pk=body.customer).first()
        if customer is None:
            raise Refused(422, "bad_value", f"there is no customer {body.customer}", "customer")
    if Contract.objects.filter(customer=customer, name=body.name).exists():
        raise Refused(409, "conflict", f"there is a contract named {body.name!r} already: add a version to it", "name")
    with transaction.atomic():
        contract = Contract.objects.create(name=body.name, customer=customer)
        add_version(contract=contract, text=body.text, actor=request.user)
    return Status(201, item(contract))


@router.get("/contracts/{int:contract_id}", summary="A contract and its versions")
def one(request: HttpRequest, contract_id: int) -> dict[str, Any]:
    """Newest version first."""
    return item(_contract(request, contract_id))


@router.post("/contracts/{int:contract_id}/versions", summary="Write a new version", response={201: dict[str, Any]})
def new_version(request: HttpRequest, contract_id: int, body: TextIn) -> Status:
    """The ones before stay as they are, and go on judging the disks they are assigned to."""
    contract = _contract(request, contract_id)
    require(request.user, Verb.KEEP_CONTRACTS)
    _parsed(body.text)
    return Status(201, version_item(add_version(contract=contract, text=body.text, actor=request.user)))


@router.get("/disks/{int:disk_id}/assignments", summary="Which versions judge a disk, in time")
def assignments(request: HttpRequest, disk_id: int) -> dict[str, Any]:
    """All of them; a disk has few."""
    found = _disk(request, disk_id).assignments.order_by("valid_from", "pk")
    first_to_last = sorted(found, key=lambda one: (one.valid_from is not None, one.valid_from))
    return {"items": [assignment_item(one) for one in first_to_last], "next_cursor": None}


@router.post("/disks/{int:disk_id}/assignments", summary="Let a version judge a disk", response={201: dict[str, Any]})
def assign(request: HttpRequest, disk_id: int, body: AssignmentIn) -> Status:
    """Minutes from `valid_from` to now are marked due and scored again by it."""
    disk = _disk(request, disk_id)
    require(request.user, Verb.KEEP_CONTRACTS)
    version = (
        ContractVersion.objects.filter(contract__in=contracts_visible_to(request.user), pk=body.version)
        .select_related("contract")
        .first()
    )
    if version is None:
        raise Refused(422, "bad_value", f"there is no version {body.version}", "version")
    owner = version.contract.customer_id
    if owner is not None and owner != disk.machine.customer_id:
        raise Refused(422, "bad_value", f"version {body.version} was agreed with another customer", "version")
    at = datetime.fromtimestamp(body.valid_from, UTC) if body.valid_from is not None else timezone.now()
    try:
        assign_and_rescore(disks=[disk], version=version, at=at, actor=request.user)
    except TooLate as error:
        raise Refused(409, "period_closed", str(error), "valid_from") from error
    except ValueError as error:
        raise Refused(409, "conflict", str(error), "valid_from") from error
    return Status(201, assignment_item(disk.assignments.get(valid_to=None)))
