"""Which terms hold for a disk at a moment, and what should its agent judge by?"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q

from sla.contracts.models import Assignment, ContractVersion
from sla.fleet.models import Disk

# Agents fetch their policy once a minute; terms that begin within the hour go out early, for their first second.
POLICY_AHEAD = timedelta(hours=1)


def assignments_between(disk_ids: Iterable[int], start: datetime, end: datetime) -> dict[int, list[Assignment]]:
    """Per disk, the assignments that touch [start, end), in order."""
    found = defaultdict(list)
    rows = (
        Assignment.objects.select_related("version__contract")
        .filter(disk__in=list(disk_ids))
        .filter(Q(valid_from=None) | Q(valid_from__lt=end), Q(valid_to=None) | Q(valid_to__gt=start))
        .order_by("disk", "id")
    )
    for row in rows:
        found[row.disk_id].append(row)
    for listed in found.values():
        listed.sort(key=lambda a: a.valid_from.timestamp() if a.valid_from else float("-inf"))
    return dict(found)


def version_at(assignments: Iterable[Assignment], moment: datetime) -> ContractVersion | None:
    """The version that judges at the moment, or None."""
    for assignment in assignments:
        begun = assignment.valid_from is None or assignment.valid_from <= moment
        if begun and (assignment.valid_to is None or moment < assignment.valid_to):
            return assignment.version
    return None


def milliseconds(microseconds: int) -> float | int:
    """15000 µs is 15, 12500 is 12.5."""
    return microseconds // 1000 if microseconds % 1000 == 0 else microseconds / 1000


def policy_term(version: ContractVersion) -> dict[str, Any]:
    """A version as the wire names it; `threshold_ms` is null where reads and writes differ."""
    read, write = milliseconds(version.read_threshold_us), milliseconds(version.write_threshold_us)
    same = read == write
    return {
        "term": version.pk,
        "threshold_ms": read if same else None,
        "read_threshold_ms": None if same else read,
        "write_threshold_ms": None if same else write,
        "iops": version.iops,
        "depth": version.depth,
        "tolerance": version.tolerance_ppm / 1_000_000,
        "io_unit_bytes": version.io_unit_bytes,
        "objective_ppm": version.objective_ppm,
    }


def policy_for(disks: Iterable[Disk], now: datetime) -> dict[str, Any]:
    """What the agent of these disks should judge by and how often it should report."""
    disks = list(disks)
    terms = assignments_between([disk.pk for disk in disks], now, now + POLICY_AHEAD)
    return {
        "disks": [
            {
                "device": disk.device,
                "serial": disk.serial or None,
                "wwn": disk.wwn or None,
                "terms": [policy_term(assignment.version) for assignment in terms.get(disk.pk, [])],
            }
            for disk in disks
        ],
        "flush_s": 60,
        "fine_ms": {"base": 100, "finest": 10},
        "cpu_budget_ratio": 0.02,
        "urgent_s": 10,
    }
