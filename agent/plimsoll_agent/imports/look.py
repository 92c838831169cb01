"""One look at the disks of a machine whose node_exporter is read, for people and for the doctor."""

from __future__ import annotations

from collections.abc import Callable
from typing import List, Optional, Tuple

from ..core.counters import Counters
from ..settings import Settings
from . import machine
from .node_exporter import Page, read
from .scrape import Target

Seen = Tuple[str, Optional[str], Optional[Counters]]


def page_of(settings: Settings) -> Page:
    """Its page now. Raises ScrapeError, ExporterError."""
    target = Target(settings.from_node_exporter, settings.ca_file, settings.timeout_s)
    try:
        return read(target.fetch())
    finally:
        target.close()


def look(settings: Settings) -> Callable[[], List[Seen]]:
    """A function that answers (device, serial, counters) of each disk under contract."""

    def now() -> List[Seen]:
        page = page_of(settings)
        devices = machine.disks_of(page, settings.devices)
        return [(device, page.info.get(device, {}).get("serial") or None, page.disks[device]) for device in devices]

    return now
