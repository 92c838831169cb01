"""What does a node_exporter say about its machine: the disks' counters, who they are, what machine it is.

Metrics: collector/diskstats_linux.go, 0.16 and later. It takes the kernel's milliseconds times 0.001 and
sectors times 512, and prints the shortest decimal that is that number: rounding gives the kernel's integers back.
"""

from __future__ import annotations

from ..core.counters import FIELDS, SECTOR_BYTES, Counters
from .exposition import ExpositionError, samples

PREFIXES = ("node_disk_", "node_boot_time", "node_uname_info", "node_os_info", "node_dmi_info", "node_memory_MemTotal")
MS_PER_S = 1000.0
COUNT, BYTES, SECONDS = 1.0, 1.0 / SECTOR_BYTES, MS_PER_S
# The exporter's name after node_disk_ -> (field of the kernel, what one of its units is in the field's).
METRICS: dict[str, tuple[str, float]] = {
    "reads_completed_total": ("read_ios", COUNT),
    "reads_merged_total": ("read_merges", COUNT),
    "read_bytes_total": ("read_sectors", BYTES),
    "read_time_seconds_total": ("read_ms", SECONDS),
    "writes_completed_total": ("write_ios", COUNT),
    "writes_merged_total": ("write_merges", COUNT),
    "written_bytes_total": ("write_sectors", BYTES),
    "write_time_seconds_total": ("write_ms", SECONDS),
    "io_now": ("in_flight", COUNT),
    "io_time_seconds_total": ("busy_ms", SECONDS),
    "io_time_weighted_seconds_total": ("queue_ms", SECONDS),
    "discards_completed_total": ("discard_ios", COUNT),
    "discards_merged_total": ("discard_merges", COUNT),
    "discarded_sectors_total": ("discard_sectors", COUNT),
    "discard_time_seconds_total": ("discard_ms", SECONDS),
    "flush_requests_total": ("flush_ios", COUNT),
    "flush_requests_time_seconds_total": ("flush_ms", SECONDS),
}
NEEDED = ("read_ios", "read_ms", "write_ios", "write_ms")
MOST = 1 << 53


class ExporterError(ValueError):
    """A page that holds no disks' counters; the message says what is there and what to do."""


class Page:
    """One scrape: counters by device, `node_disk_info`'s labels by device, and the machine's own labels."""

    __slots__ = ("booted_at", "disks", "info", "machine", "memory_bytes")

    def __init__(self) -> None:
        self.disks: dict[str, Counters] = {}
        self.info: dict[str, dict[str, str]] = {}
        self.machine: dict[str, str] = {}
        self.booted_at: int | None = None
        self.memory_bytes: int | None = None


def read(text: str) -> Page:
    """The page of one scrape. Raises ExporterError."""
    page = Page()
    values: dict[str, dict[str, int]] = {}
    try:
        for name, labels, value in samples(text, PREFIXES):
            if name.startswith("node_disk_"):
                _disk(page, values, name[10:], labels, value)
            elif name in ("node_uname_info", "node_os_info", "node_dmi_info"):
                page.machine.update({f"{name[5:-5]}_{label}": found for label, found in labels.items()})
            elif name == "node_boot_time_seconds":
                page.booted_at = int(value)
            elif name == "node_memory_MemTotal_bytes":
                page.memory_bytes = int(value)
    except ExpositionError as error:
        raise ExporterError(str(error)) from error
    for device, fields in values.items():
        if all(name in fields for name in NEEDED):
            page.disks[device] = tuple(fields.get(name) for name in FIELDS)
    if not page.disks:
        raise ExporterError(_why_none(text))
    return page


def _disk(page: Page, values: dict[str, dict[str, int]], name: str, labels: dict[str, str], value: float) -> None:
    device = labels.get("device", "").replace("!", "/")
    if not device:
        return
    if name == "info":
        page.info[device] = labels
    elif name in METRICS and 0 <= value < MOST:  # refuses NaN too: the field is unknown then
        field, unit = METRICS[name]
        values.setdefault(device, {})[field] = round(value * unit)


def _why_none(text: str) -> str:
    if "node_disk_reads_completed{" in text:
        return "its node_disk_ metrics have the names of before 0.16: node_exporter 0.16 or later is needed"
    if "node_exporter_build_info" in text or "node_cpu_seconds_total" in text:
        return "it shows no disk with node_disk_reads_completed_total: is its diskstats collector off?"
    begin = " ".join(text[:60].split())
    return f"it is no node_exporter's page: it begins with {begin!r}"
