"""Which disks are in maintenance when? Windows name disks, pools or customers."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import psycopg

_WINDOWS = """
SELECT disk.id, extract(epoch FROM w.starts_at)::float8, extract(epoch FROM w.ends_at)::float8, w.excludes, w.mutes
FROM contracts_maintenancewindow AS w
JOIN fleet_disk AS disk ON disk.id = ANY(%(disks)s)
JOIN fleet_machine AS machine ON machine.id = disk.machine_id
WHERE w.ends_at > to_timestamp(%(start)s) AND w.starts_at < to_timestamp(%(end)s) AND w.cancelled_at IS NULL
  AND (EXISTS (SELECT 1 FROM contracts_maintenancewindow_disks AS d
               WHERE d.maintenancewindow_id = w.id AND d.disk_id = disk.id)
       OR EXISTS (SELECT 1 FROM contracts_maintenancewindow_pools AS p
                  WHERE p.maintenancewindow_id = w.id AND p.pool_id = disk.pool_id)
       OR EXISTS (SELECT 1 FROM contracts_maintenancewindow_customers AS c
                  WHERE c.maintenancewindow_id = w.id AND c.customer_id = machine.customer_id))
"""


@dataclass(frozen=True, slots=True)
class Window:
    """[start, end) in Unix seconds; `excludes`: its time is taken out of the SLA; `mutes`: no alerts while it lasts."""

    start: float
    end: float
    excludes: bool
    mutes: bool


def windows_between(
    cursor: "psycopg.Cursor[tuple]", disks: Iterable[int], start: float, end: float
) -> dict[int, list[Window]]:
    """Per disk the windows that touch [start, end)."""
    found: dict[int, list[Window]] = defaultdict(list)
    for disk, *window in cursor.execute(_WINDOWS, {"disks": list(disks), "start": start, "end": end}):
        found[disk].append(Window(*window))
    return dict(found)


def excluded_at(windows: Iterable[Window], minute: int) -> bool:
    """A minute is taken out when it begins inside a window that excludes."""
    return any(window.excludes and window.start <= minute < window.end for window in windows)
