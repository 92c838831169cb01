"""What is stored of a window, and what becomes of it when several pools slowed down at the same moment?"""

from dataclasses import dataclass, replace
from math import log
from typing import Any

from sla.domain.neighbours.cause import Cause, word
from sla.domain.neighbours.rules import LEAST_SLOWDOWN
from sla.domain.neighbours.wider import Company
from sla.neighbours import evidence
from sla.neighbours.models import NeighbourWindow, Role, WindowDisk

PART = ("role", "score", "share", "lag_s", "slowdown")
# What the pool by itself said, while its window is a matter of several pools.
JUDGED = ("reason", "word")


@dataclass(frozen=True, slots=True)
class Row:
    """What is to be stored of a window; disks: fields of WindowDisk by disk."""

    cause: Cause
    severity: float
    confidence: float
    evidence: dict[str, Any]
    disks: dict[int, dict[str, Any]]


def row_of(window: NeighbourWindow) -> Row:
    """As it is stored."""
    parts = {part["disk"]: part for part in window.disks.order_by("disk").values("disk", *PART)}
    disks = {disk: {name: part[name] for name in PART} for disk, part in parts.items()}
    return Row(Cause(window.cause), window.severity, window.confidence, window.evidence, disks)


def put_disks(window: NeighbourWindow, disks: dict[int, dict[str, Any]]) -> None:
    """These are the window's disks now."""
    WindowDisk.objects.filter(window=window).exclude(disk__in=list(disks)).delete()
    WindowDisk.objects.bulk_create(
        [WindowDisk(window=window, disk_id=disk, **part) for disk, part in disks.items()],
        update_conflicts=True,
        unique_fields=["window", "disk"],
        update_fields=list(PART),
    )


def widened(row: Row, company: Company) -> Row:
    """Several pools slowed down at the same moment: nobody of this one did it. What it said by itself is kept."""
    judged = narrowed(row)
    suspect = next((disk for disk, part in judged.disks.items() if part["role"] == Role.SUSPECT), None)
    alone = {name: judged.evidence[name] for name in JUDGED}
    told = {
        **judged.evidence,
        "alone": {**alone, "cause": judged.cause.value, "confidence": round(judged.confidence, 4), "suspect": suspect},
        "pools": company.pools,
        "chance": company.chance,
        "reason": evidence.reason_wider(row.severity, company.pools),
        "word": word(company.confidence),
    }
    wide = replace(judged, cause=Cause.WIDER, confidence=company.confidence, evidence=told)
    return wide if suspect is None else _with_role(wide, suspect, _suffered(judged.disks[suspect]))


def narrowed(row: Row) -> Row:
    """It was this pool alone after all: as it was judged by itself."""
    if row.cause is not Cause.WIDER:
        return row
    alone = row.evidence["alone"]
    told = {name: value for name, value in row.evidence.items() if name not in ("alone", "pools", "chance")}
    told |= {name: alone[name] for name in JUDGED}
    judged = replace(row, cause=Cause(alone["cause"]), confidence=alone["confidence"], evidence=told)
    return judged if alone["suspect"] is None else _with_role(judged, alone["suspect"], Role.SUSPECT)


def company_of(window: NeighbourWindow) -> Company | None:
    """In which it was found; None while it stands by itself."""
    told = window.evidence
    return Company(told["pools"], told["chance"]) if window.cause == Cause.WIDER else None


def _suffered(part: dict[str, Any]) -> Role:
    slowdown = part["slowdown"]
    return Role.VICTIM if slowdown and log(slowdown) >= LEAST_SLOWDOWN else Role.BYSTANDER


def _with_role(row: Row, disk: int, role: Role) -> Row:
    series = row.evidence["series"]
    curves = [{**one, "role": role.value} if one["disk"] == disk else one for one in series["disks"]]
    return replace(
        row,
        evidence={**row.evidence, "series": {**series, "disks": curves}},
        disks={**row.disks, disk: {**row.disks[disk], "role": role}},
    )
