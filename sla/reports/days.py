"""What was each day of the month? By the calendar of the disk's contract: a day may have 23 or 25 hours."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import psycopg

from sla.domain.statement.facts import Day, DiskFacts
from sla.reports.evidence import Span, hours_query

# Of an hour that midnight cuts (zones that are half an hour off) the day is the one it begins in.
_DAYS = """
SELECT disk_id, extract(epoch FROM date_trunc('day', to_timestamp(at), %s))::int8 AS day,
       sum((read_ios + write_ios) * kept)::int8, sum(eligible * kept)::int8, sum(slow * kept)::int8,
       sum(lost_ms * kept)::int8, sum(observed_s * kept)::int8, sum(observed_s * excluded)::int8,
       sum(slots_breached * kept)::int8
FROM (SELECT *, 1 - excluded AS kept FROM ({hours}) AS hour) AS part
GROUP BY disk_id, day ORDER BY disk_id, day
"""


def with_days(cursor: "psycopg.Cursor[tuple]", facts: Sequence[DiskFacts], spans: Sequence[Span]) -> list[DiskFacts]:
    """The same disks with their days."""
    zones = {(one.id, one.start, one.end): one.zone for one in facts}
    found: dict[tuple[int, int, int], list[Day]] = defaultdict(list)
    for span in spans:
        by_zone: dict[str, list[int]] = defaultdict(list)
        for disk in span.disks:
            by_zone[zones[disk, span.start, span.end]].append(disk)
        for zone, disks in by_zone.items():
            hours = hours_query(span)
            rows = cursor.execute(_DAYS.format(hours=hours), [zone, *([disks] * hours.count("%s"))], binary=True)
            for disk, *day in rows:
                found[disk, span.start, span.end].append(Day(*day))
    return [replace(one, days=tuple(found.get((one.id, one.start, one.end), ()))) for one in facts]
