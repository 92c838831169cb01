"""Which disks are in maintenance when? Windows name disks, pools (for as long as a disk lies in one) or customers."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import psycopg

# Asked first by whoever asks each minute: most have none, and planning what follows takes longer than answering it.
_ANY = """
SELECT count(*) FROM contracts_maintenancewindow
WHERE ends_at > to_timestamp(%(start)s) AND starts_at < to_timestamp(%(end)s) AND cancelled_at IS NULL
"""
# Where a disk was first said to lie it has always lain; who has no history lies where it is.
_WINDOWS = """
WITH w AS (
    SELECT id, starts_at, ends_at, excludes, mutes FROM contracts_maintenancewindow
    WHERE ends_at > to_timestamp(%(start)s) AND starts_at < to_timestamp(%(end)s) AND cancelled_at IS NULL
), lies AS (
    SELECT m.disk_id, m.pool_id, coalesce(m.valid_to, 'infinity') AS until,
           CASE WHEN m.valid_from = min(m.valid_from) OVER (PARTITION BY m.disk_id)
                THEN '-infinity' ELSE m.valid_from END AS since
    FROM fleet_poolmembership AS m WHERE m.disk_id = ANY(%(disks)b)
    UNION ALL
    SELECT disk.id, disk.pool_id, 'infinity', '-infinity' FROM fleet_disk AS disk
    WHERE disk.id = ANY(%(disks)b)
      AND NOT EXISTS (SELECT 1 FROM fleet_poolmembership AS m WHERE m.disk_id = disk.id)
), touched AS (
    SELECT d.disk_id, w.* FROM w
    JOIN contracts_maintenancewindow_disks AS d ON d.maintenancewindow_id = w.id AND d.disk_id = ANY(%(disks)b)
    UNION
    SELECT disk.id, w.* FROM w
    JOIN contracts_maintenancewindow_customers AS c ON c.maintenancewindow_id = w.id
    JOIN fleet_machine AS machine ON machine.customer_id = c.customer_id
    JOIN fleet_disk AS disk ON disk.machine_id = machine.id AND disk.id = ANY(%(disks)b)
    UNION
    SELECT lies.disk_id, w.id, greatest(starts_at, since), least(ends_at, until), excludes, mutes FROM w
    JOIN contracts_maintenancewindow_pools AS p ON p.maintenancewindow_id = w.id
    JOIN lies ON lies.pool_id = p.pool_id AND since < ends_at AND until > starts_at
)
SELECT disk_id, extract(epoch FROM starts_at)::float8, extract(epoch FROM ends_at)::float8, excludes, mutes
FROM touched WHERE ends_at > to_timestamp(%(start)s) AND starts_at < to_timestamp(%(end)s)
"""


@dataclass(frozen=True, slots=True)
class Window:
    """[start, end) in Unix seconds; `excludes`: its time is taken out of the SLA; `mutes`: no alerts while it lasts."""

    start: float
    end: float
    excludes: bool
    mutes: bool


def windows_between(
    cursor: "psycopg.Cursor[tuple]", disks: Iterable[int], start: float, end: float, *, seldom: bool = True
) -> dict[int, list[Window]]:
    """Per disk the windows that touch [start, end). `seldom`: there are most likely none, of any disk."""
    found: dict[int, list[Window]] = defaultdict(list)
    span = {"start": start, "end": end}
    if not seldom or cursor.execute(_ANY, span).fetchone() != (0,):
        for disk, *window in cursor.execute(_WINDOWS, {"disks": list(disks), **span}):
            found[disk].append(Window(*window))
    return dict(found)


def excluded_at(windows: Iterable[Window], minute: int) -> bool:
    """A minute is taken out when it begins inside a window that excludes."""
    return any(window.excludes and window.start <= minute < window.end for window in windows)
