"""Verbs on contracts: write a new version from its text, put it on disks, give new disks their default."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import F, Q

from sla.accounts.models import Customer, User
from sla.accounts.services import record
from sla.contracts.models import Assignment, Contract, ContractVersion
from sla.domain.contract_text import parse_contract
from sla.fleet.hosted import tell_again
from sla.fleet.models import Disk
from sla.fleet.vantage import Vantage

DEFAULT_TEXT = "99% < 15 ms at 1000 IOPS"


@dataclass(frozen=True, slots=True)
class Price:
    """What is paid, and what comes back: tiers of (below this SLI in ppm, credit in percent). None: the usual
    10/30/100 % below 99/98/95 %."""

    fee_cents: int | None = None
    currency: str = ""
    tiers: tuple[tuple[int, int], ...] = ()


@transaction.atomic
def add_version(
    *, contract: Contract, text: str, actor: User | None = None, price: Price | None = None
) -> ContractVersion:
    """The next version of a contract, from its typed text. ContractTextError names the word that is wrong.

    Without a price it costs what the version before cost.
    """
    terms = parse_contract(text)
    # The row lock makes the numbering a sequence without holes when two people save at once.
    contract = Contract.objects.select_for_update().get(pk=contract.pk)
    last = contract.versions.order_by("-number").first()
    if price is None:
        price = Price(last.fee_cents, last.currency, tuple(map(tuple, last.credit_tiers))) if last else Price()
    version = ContractVersion.objects.create(
        contract=contract,
        number=last.number + 1 if last else 1,
        text=terms.text,
        objective_ppm=terms.objective_ppm,
        read_threshold_us=terms.read_threshold_us,
        write_threshold_us=terms.write_threshold_us,
        iops=terms.iops,
        io_unit_bytes=terms.io_unit_bytes,
        tolerance_ppm=terms.tolerance_ppm,
        depth=terms.depth,
        base_us=terms.base_us,
        vantage=Vantage.of(terms.vantage),
        budget_by=terms.budget_by,
        zone=terms.zone,
        min_coverage_ppm=terms.min_coverage_ppm,
        credit_tiers=[list(tier) for tier in price.tiers],
        fee_cents=price.fee_cents,
        currency=price.currency,
        created_by=actor,
    )
    record(
        verb="contract version added",
        object_label=str(version),
        actor=actor,
        customer=contract.customer,
        before={"text": last.text} if last else None,
        after={"text": version.text},
    )
    return version


@transaction.atomic
def assign(*, disk: Disk, version: ContractVersion, at: datetime | None, actor: User | None = None) -> Assignment:
    """From `at` (None: from its first frame) this version judges the disk; the one before ends there."""
    running = Assignment.objects.select_for_update().filter(disk=disk, valid_to=None).first()
    if running is not None:
        if at is None or (running.valid_from is not None and running.valid_from >= at):
            raise ValueError(f"{disk} is judged by {running.version} already; give a moment after {running.valid_from}")
        running.valid_to = at
        running.save(update_fields=["valid_to"])
    assignment = Assignment.objects.create(disk=disk, version=version, valid_from=at)
    # What web processes and agents remember of this machine's terms is stale now.
    tell_again(disk.machine_id)
    record(
        verb="contract assigned",
        object_label=str(disk),
        actor=actor,
        customer=disk.machine.customer,
        before={"version": str(running.version)} if running else None,
        after={"version": str(version), "valid_from": at.isoformat() if at else None},
    )
    return assignment


@transaction.atomic
def ensure_default_contract() -> Contract:
    """The contract for disks of customers that have none of their own: made at first `99% < 15 ms at 1000 IOPS`."""
    contract, made = Contract.objects.get_or_create(is_default=True, customer=None, defaults={"name": "Standard"})
    if made or not contract.versions.exists():
        add_version(contract=contract, text=DEFAULT_TEXT)
    return contract


def default_version(customer: Customer) -> ContractVersion:
    """The newest version of the customer's own default contract, else of everybody's."""
    version = (
        ContractVersion.objects.filter(Q(contract__customer=customer) | Q(contract__customer=None))
        .filter(contract__is_default=True)
        .order_by(F("contract__customer").asc(nulls_last=True), "-number")
        .first()
    )
    if version is None:
        version = ensure_default_contract().versions.order_by("-number")[0]
    return version


def assign_default(*, customer: Customer, disks: Iterable[Disk]) -> None:
    """Give each disk that was never assigned anything the customer's default contract, from its first frame."""
    new = [disk for disk in disks if not disk.assignments.exists()]
    if new:
        version = default_version(customer)
        for disk in new:
            assign(disk=disk, version=version, at=None)
