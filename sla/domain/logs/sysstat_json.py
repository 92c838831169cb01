"""What do `iostat -o JSON` and `sadf -j` say?"""

from collections.abc import Iterator
from typing import Any

from sla.domain.logs.fields import number, sample_of
from sla.domain.logs.sample import LogError, Sample
from sla.domain.logs.table import report_lengths

NAMES = ("disk_device", "disk-device")


def sysstat_samples(document: Any, interval: float | None) -> tuple[list[Sample], bool]:
    """Samples, and whether their length had to be assumed. LogError where the document has no disks."""
    reports = [one for host in document["sysstat"].get("hosts", ()) for one in host.get("statistics", ())]
    reports = [one for one in reports if one.get("disk")]
    if not reports:
        raise LogError(
            "the sysstat document has no disk statistics; iostat -x -o JSON and sadf -j FILE -- -d have them"
        )
    stamps = [_stamp(report.get("timestamp")) for report in reports]
    told = [_told(report.get("timestamp")) for report in reports]
    lengths, assumed = report_lengths(stamps, interval)
    if interval is None and all(told):
        lengths, assumed = [float(length or 0) for length in told], False
    since_boot = len(reports) > 1 and not all(told)
    samples = []
    for index, (report, seconds) in enumerate(zip(reports, lengths, strict=True)):
        for device, figures in _rows(report["disk"]):
            samples.append(sample_of(figures, device, stamps[index], seconds, since_boot and index == 0))
    return samples, assumed


def _rows(disks: Any) -> Iterator[tuple[str, dict[str, float]]]:
    for disk in disks:
        device = next((str(disk[name]) for name in NAMES if name in disk), None)
        if device is None:
            raise LogError(f"a disk without a name: {str(disk)[:80]}")
        yield device, {name: number(value) for name, value in disk.items() if name not in NAMES}


def _stamp(timestamp: Any) -> str | None:
    if isinstance(timestamp, dict):
        return f"{timestamp.get('date', '')} {timestamp.get('time', '')}".strip() or None
    return str(timestamp) if timestamp else None


def _told(timestamp: Any) -> float | None:
    return float(timestamp["interval"]) if isinstance(timestamp, dict) and timestamp.get("interval") else None
