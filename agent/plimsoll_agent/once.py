"""One look for people: what the disks of this machine did during one second."""

from __future__ import annotations

import time

from .core.counters import (
    FIELDS,
    IN_FLIGHT,
    READ_IOS,
    READ_MS,
    READ_SECTORS,
    WRITE_IOS,
    WRITE_MS,
    WRITE_SECTORS,
    Counters,
    difference,
)
from .imports.look import look as imports_look
from .inventory import disks_of
from .kernel.diskstats import counters_of
from .kernel.files import read_bytes
from .settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .imports.look import Seen

QUEUE_MS = FIELDS.index("queue_ms")
HEAD = ("device", "serial", "IOPS", "read await ms", "write await ms", "aqu-sz", "MB/s", "in flight")


def table(settings: Settings, seconds: float) -> str:
    """A table of rates over `seconds`; a figure that they do not give is a dash. Raises ScrapeError, ExporterError."""
    look = imports_look(settings) if settings.from_node_exporter else lambda: _own(settings)
    begin, before = time.monotonic(), look()
    time.sleep(seconds)
    after, elapsed = {device: counters for device, _, counters in look()}, time.monotonic() - begin
    rows: list[tuple[str, ...]] = [HEAD]
    for device, serial, old in before:
        rows.append((device, serial or "-", *_figures(old, after.get(device), elapsed)))
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows)


def _own(settings: Settings) -> list[Seen]:
    found: list[Seen] = []
    for disk in disks_of(settings):
        raw = read_bytes(disk.path + "/stat")
        found.append((disk.device, disk.serial, None if raw is None else counters_of(raw.split())))
    return found


def _figures(old: Counters | None, new: Counters | None, elapsed: float) -> tuple[str, ...]:
    advances = None if old is None or new is None else difference(old, new)
    if advances is None:
        return ("-",) * 6
    ios = (advances[READ_IOS] or 0) + (advances[WRITE_IOS] or 0)
    sectors = (advances[READ_SECTORS] or 0) + (advances[WRITE_SECTORS] or 0)
    queue = advances[QUEUE_MS]
    return (
        f"{ios / elapsed:.1f}",
        _await(advances[READ_MS], advances[READ_IOS]),
        _await(advances[WRITE_MS], advances[WRITE_IOS]),
        "-" if queue is None else f"{queue / elapsed / 1000:.2f}",
        f"{sectors * 512 / elapsed / 1e6:.2f}",
        "-" if advances[IN_FLIGHT] is None else str(advances[IN_FLIGHT]),
    )


def _await(ms: int | None, ios: int | None) -> str:
    return "-" if ms is None or not ios else f"{ms / ios:.2f}"
