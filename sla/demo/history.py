"""How does the demonstration get its month of history, quickly first and whole in the end?

`month`, `recent` and `add_up`: hours of the month, slots of the last days, frames of the last day, days: then it is
ready. `older_slots`: the rest, a day at a time, whenever there is time; it may be stopped and goes on where it was.
The machines restarted where the slots of the last days begin: counters go on from 0 there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

import numpy as np

from sla.demo import past, tables
from sla.demo.odometer import Odometer
from sla.demo.past import Fleet, parts
from sla.demo.story import MONTH_S
from sla.scoring import store
from sla.simulator.world import DAY_S, HOUR_S

FRAMES_S = DAY_S
FRAME_STEP_S, SLOT_STEP_S = 10, 60
SPAN_S = 4 * HOUR_S  # frames are made so much at a time: 50 MB of figures
SLOT_DAYS = 2
Told = Callable[[str, float], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """Where each kind of evidence begins, in Unix seconds, all of it up to the anchor."""

    hours: int
    slots: int
    frames: int
    end: int

    @classmethod
    def of(cls, anchor: int, *, month_s: int = MONTH_S, slot_days: int = SLOT_DAYS, frames_s: int = FRAMES_S) -> "Plan":
        """Hours from whole days on, frames from a whole hour on."""
        hours = (anchor - month_s) // DAY_S * DAY_S
        slots = max((anchor - slot_days * DAY_S) // DAY_S * DAY_S, hours)
        return cls(hours, slots, max((anchor - frames_s) // HOUR_S * HOUR_S, slots), anchor)

    def coarse(self) -> list[tuple[int, int]]:
        """Spans before the frames, each within a day."""
        edges = [*range(self.hours, self.frames, DAY_S), self.frames]
        return [(first, last) for first, last in pairwise(edges) if first < last]

    def fine(self) -> list[tuple[int, int]]:
        """Spans with frames, each within a day; the last one ends at the anchor."""
        edges = {self.frames, self.end}
        edges |= set(range(self.frames // SPAN_S * SPAN_S + SPAN_S, self.end, SPAN_S))
        cuts = sorted(edges)
        return [(first, last) for first, last in pairwise(cuts) if first < last]


def month(fleet: Fleet, plan: Plan, told: Told = lambda what, share: None) -> None:
    """Hours of the days before there are slots. A program of its own may do it beside `recent`."""
    spans = [(start, end) for start, end in plan.coarse() if start < plan.slots]
    odometer = Odometer.of(len(fleet.disks))
    _clear(fleet, ("scoring_hour",), plan.hours, plan.slots)
    for place, (start, end) in enumerate(spans):
        with store.transacting() as cursor:
            for part in parts(fleet, odometer, start, end, SLOT_STEP_S, percentiles=False):
                past.put_hours(cursor, part)
        told("hours of the month", (place + 1) / len(spans))


def recent(fleet: Fleet, plan: Plan, odometer: Odometer, told: Told = lambda what, share: None) -> None:
    """Hours, slots and frames of the last days.

    A span is a transaction: a chunk that one makes would keep the other program waiting to its end.
    """
    coarse = [(start, end) for start, end in plan.coarse() if start >= plan.slots]
    spans = [(span, SLOT_STEP_S) for span in coarse] + [(span, FRAME_STEP_S) for span in plan.fine()]
    _clear(fleet, ("scoring_hour", "scoring_slot", "telemetry_frame"), plan.slots, plan.end)
    for place, ((start, end), step_s) in enumerate(spans):
        with store.transacting() as cursor:
            for part in parts(fleet, odometer, start, end, step_s, percentiles=True):
                past.put_hours(cursor, part)
                past.put_slots(cursor, part)
                if step_s == FRAME_STEP_S:
                    past.put_frames(cursor, part, fleet, step_s)
        told("minutes and frames of the last days", (place + 1) / len(spans))
    with store.transacting() as cursor:
        # Their agents did not send these frames: where the machines' evidence ends must be found out anew.
        cursor.execute(
            "UPDATE fleet_agent SET frames_until = NULL "
            "WHERE machine_id IN (SELECT machine_id FROM fleet_disk WHERE id = ANY(%s))",
            [fleet.ids],
        )


def add_up(fleet: Fleet, plan: Plan) -> None:
    """Days, once all hours are there."""
    with store.transacting() as cursor:
        tables.add_up_days(cursor, fleet.ids, plan.hours, plan.end)
    with store.reading() as cursor:
        cursor.execute("ANALYZE scoring_slot, scoring_hour, scoring_day, telemetry_frame")


def _clear(fleet: Fleet, names: tuple[str, ...], start: int, end: int) -> None:
    """Away with what an earlier start left that was stopped half way."""
    with store.transacting() as cursor:
        for name in names:
            cursor.execute(
                f"DELETE FROM {name} WHERE disk_id = ANY(%s) "  # noqa: S608
                "AND start >= to_timestamp(%s) AND start < to_timestamp(%s)",
                [fleet.ids, start, end],
            )


def older_slots(fleet: Fleet, plan: Plan, told: Told = lambda what, share: None) -> int:
    """Slots of the days before those that are there, oldest first, one transaction a day; how many were written."""
    odometer = Odometer.of(len(fleet.disks))
    spans = [(start, end) for start, end in plan.coarse() if start < plan.slots]
    written = 0
    for place, (start, end) in enumerate(spans):
        there = _has_slots(fleet, start, end)
        with store.transacting() as cursor:
            for part in parts(fleet, odometer, start, end, SLOT_STEP_S, percentiles=not there):
                if not there:
                    written += past.put_slots(cursor, part)
        told("older minutes", (place + 1) / len(spans))
    return written


def _has_slots(fleet: Fleet, start: int, end: int) -> bool:
    with store.reading() as cursor:
        row = cursor.execute(
            "SELECT 1 FROM scoring_slot WHERE disk_id = ANY(%s) AND start >= to_timestamp(%s) "
            "AND start < to_timestamp(%s) LIMIT 1",
            [fleet.ids, start, end],
        ).fetchone()
    return row is not None


def catch_up(fleet: Fleet, odometer: Odometer, start: int, end: int) -> int:
    """What agents would have spooled while the demonstration was off: frames, slots, roll-ups of [start, end)."""
    written = 0
    with store.transacting() as cursor:
        keys: list[store.Key] = []
        edges = sorted({start, end, *range(start // HOUR_S * HOUR_S + HOUR_S, end, HOUR_S)})
        for first, last in pairwise(edges):
            for part in parts(fleet, odometer, first, last, FRAME_STEP_S, percentiles=True):
                written += past.put_slots(cursor, part)
                past.put_frames(cursor, part, fleet, FRAME_STEP_S)
                hours = np.unique(part.judged.start // HOUR_S * HOUR_S).tolist()
                vantage = int(part.judged.vantage)
                keys += [(int(disk), vantage, hour) for disk in np.unique(part.judged.disk) for hour in hours]
        if keys:
            store.roll_up(cursor, keys, replaced=False)
    return written


def newest_slot(disks: list[int]) -> int | None:
    """Where the newest slot of any of them ends."""
    with store.reading() as cursor:
        row = cursor.execute(
            "SELECT extract(epoch FROM max(start))::int8 + 60 FROM scoring_slot WHERE disk_id = ANY(%s)", [disks]
        ).fetchone()
    return row[0] if row else None


def now_minute() -> int:
    """The minute that has just ended."""
    return int(datetime.now(UTC).timestamp()) // 60 * 60
