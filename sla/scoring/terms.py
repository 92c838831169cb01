"""By which terms is a disk judged at a moment? Contract versions as the domain's contracts."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Literal, cast

import psycopg

from sla.contracts.models import ContractVersion
from sla.domain.contract import DEFAULT_CREDIT_TIERS, Contract
from sla.domain.contract_text import parse_contract
from sla.fleet.vantage import Vantage


@lru_cache(maxsize=4096)
def contract_of(version_id: int) -> Contract:
    """A version's terms. A version never changes once it is in force, so it is read once."""
    return domain_contract(ContractVersion.objects.get(pk=version_id))


def domain_contract(version: ContractVersion) -> Contract:
    """The figures come from the columns, the conditions from the text (they have no column of their own)."""
    typed = parse_contract(version.text)
    tiers = tuple((int(below), int(percent)) for below, percent in version.credit_tiers) or DEFAULT_CREDIT_TIERS
    contract = Contract(
        objective_ppm=version.objective_ppm,
        read_threshold_us=version.read_threshold_us,
        write_threshold_us=version.write_threshold_us,
        iops=version.iops,
        io_unit_bytes=version.io_unit_bytes,
        tolerance_ppm=version.tolerance_ppm,
        base_us=version.base_us,
        vantage=cast(Literal["guest", "host"], Vantage(version.vantage).label),
        budget_by=cast(Literal["requests", "slots", "both"], version.budget_by),
        zone=version.zone,
        min_coverage_ppm=version.min_coverage_ppm,
        conditions=typed.conditions,
        credit_tiers=tiers,
    )
    return contract if contract.own_depth == version.depth else contract.with_(given_depth=version.depth)


def moment(unix_s: float) -> datetime:
    """Unix seconds as an aware datetime in UTC."""
    return datetime.fromtimestamp(unix_s, UTC)


@dataclass(frozen=True, slots=True)
class Assigned:
    """A version judges a disk over [start, end) in Unix seconds; the first one from minus infinity: its first frame."""

    start: float
    end: float
    term: int


def assigned_to(cursor: "psycopg.Cursor[tuple]", disks: Iterable[int]) -> dict[int, list[Assigned]]:
    """Per disk all its assignments, in order."""
    rows = cursor.execute(
        """
        SELECT disk_id, coalesce(extract(epoch FROM valid_from)::float8, '-infinity'),
               coalesce(extract(epoch FROM valid_to)::float8, 'infinity'), version_id
        FROM contracts_assignment WHERE disk_id = ANY(%b) ORDER BY disk_id, valid_from NULLS FIRST
        """,
        [list(disks)],
    )
    found: dict[int, list[Assigned]] = defaultdict(list)
    for disk, *assigned in rows:
        found[disk].append(Assigned(*assigned))
    return dict(found)


def term_at(assigned: Iterable[Assigned], unix_s: float) -> int:
    """The version that judges at a moment, or 0."""
    return next((one.term for one in assigned if one.start <= unix_s < one.end), 0)


def term_throughout(assigned: Iterable[Assigned], start: float, end: float) -> int | None:
    """The version that judges all of [start, end), 0 if none judges any of it, None if they change inside."""
    touching = [one for one in assigned if one.start < end and one.end > start]
    if not touching:
        return 0
    one = touching[0]
    return one.term if len(touching) == 1 and one.start <= start and one.end >= end else None
