"""Which tests were made of a disk, and how do they stand? The caller has asked `disks_visible_to` for the disk."""

from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from sla.fleet.models import Disk
from sla.probes.models import Probe, Record


def probes_of(disk: Disk) -> QuerySet[Probe]:
    """Newest first, with what was witnessed."""
    return Probe.objects.filter(disk=disk).select_related("record").order_by("-started_at", "-id")


def was_probed() -> Exists:
    """For a query of disks: was this one ever tested? Most never are, and need not be asked about again."""
    return Exists(Probe.objects.filter(disk=OuterRef("pk")))


def probes_between(disk: Disk, start: datetime, end: datetime) -> QuerySet[Probe]:
    """Those that ran in a span of time; one without an end counts at its beginning."""
    return probes_of(disk).filter(Q(ended_at=None, started_at__gte=start) | Q(ended_at__gte=start), started_at__lt=end)


def record_of(probe: Probe) -> Record | None:
    """What the server witnessed of it, if it is that kind of test."""
    return getattr(probe, "record", None)


def probe_item(probe: Probe) -> dict[str, Any]:
    """As the API shows it: what its agent said, and what was witnessed."""
    item = {
        "id": probe.uid.hex,
        "kind": probe.kind,
        "started_at": probe.started_at.timestamp(),
        "ended_at": probe.ended_at.timestamp() if probe.ended_at else None,
        "received_at": probe.received_at.timestamp(),
        **probe.said,
    }
    record = record_of(probe)
    if record is not None:
        item["witnessed"] = {
            "acknowledged": record.acknowledged,
            "acknowledged_at": record.acknowledged_at.timestamp() if record.acknowledged_at else None,
            "checked_at": record.checked_at.timestamp() if record.checked_at else None,
            "restarted": record.restarted,
            "lost": record.lost,
            "missing": record.missing,
        }
    return item
