"""What happens to the demonstration's fleet, before and after the moment it was set up?

Everything is a rule of the clock from the `anchor` (that moment, a whole minute) on, in both directions: whenever one
looks, a contention window is just over or running, and the story never ends.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sla.demo.cast import Cast
from sla.simulator.world import DAY_S, HOUR_S, Event, Kind, Scenario

MINUTE_S = 60
MONTH_S = 31 * DAY_S
MAINTAINED, MAINTENANCE_EVERY_S, MAINTENANCE_S = "ssd-2", 3 * DAY_S, HOUR_S
MOVED_FROM, MOVED_TO, MOVED_PLACE, MOVED_AGO_S = "ssd-2", "ssd-4", 3, 6 * DAY_S
WORN_POOL, WORN_PLACE, WORN_FOR_S = "ssd-1", 1, 60 * HOUR_S
SHARING = ("ssd-1", "ssd-2", "ssd-4", "hdd-2")
SILENT_POOL, SILENT_PLACE, SILENT_FOR_S = "hdd-3", 0, 3 * HOUR_S


@dataclass(frozen=True, slots=True)
class Rule:
    """An event that comes again every `every_s`: at anchor + `offset_s`, and so on both ways."""

    kind: Kind
    pool: str
    offset_s: int
    every_s: int
    length_s: int
    factor: float
    places: tuple[int, ...] = ()
    block_bytes: int = 0


M = MINUTE_S
RULES = (
    # Somebody's nightly job in the middle of the day: the one to find.
    Rule(Kind.BURST, "ssd-3", -8 * M, 4 * HOUR_S, 25 * M, 4.5, (6,), 262_144),
    Rule(Kind.BURST, "nvme-2", -100 * M, 11 * HOUR_S, 15 * M, 3.5, (2,)),
    Rule(Kind.BACKUP, "hdd-1", -5 * HOUR_S, DAY_S, 50 * M, 2.2, (1, 4, 8, 13), 1_048_576),
    Rule(Kind.RAMP, "hdd-2", -3 * HOUR_S, DAY_S, 80 * M, 3.0, (5,)),
    Rule(Kind.SPIKES, "nvme-3", -6 * HOUR_S, DAY_S, 45 * M, 4.0, (1,)),
    # The back end itself: nobody asked for more.
    Rule(Kind.FAULT, "ceph-1", -35 * M, 7 * HOUR_S, 20 * M, 3.0),
    Rule(Kind.FAULT, "nvme-2", -16 * HOUR_S, 5 * DAY_S, 30 * M, 4.0),
    # What several pools hang on, a switch, for a quarter of an hour.
    *(Rule(Kind.FAULT, pool, -9 * HOUR_S, 3 * DAY_S, 15 * M, 4.0) for pool in SHARING),
    Rule(Kind.SELF, "ssd-4", -4 * HOUR_S, 2 * DAY_S, 30 * M, 3.0, (2,)),
)


def scenario(cast: Cast, anchor: int, start: int, end: int) -> Scenario:
    """The world with everything that touches [start, end) in it, and every migration so far."""
    return Scenario(cast.seed, cast.pools, tuple(sorted(_events(cast, anchor, start, end), key=lambda e: e.start)))


def _events(cast: Cast, anchor: int, start: int, end: int) -> Iterator[Event]:
    there = dict(zip(cast.names, cast.pools, strict=True))
    for rule in RULES:
        if rule.pool not in there or any(place >= len(there[rule.pool].tenants) for place in rule.places):
            continue
        disks = tuple(cast.in_pool(rule.pool)[place].number for place in rule.places)
        turn = (start - anchor - rule.offset_s - rule.length_s) // rule.every_s
        while (at := anchor + rule.offset_s + turn * rule.every_s) < end:
            if at + rule.length_s > start:
                pool = cast.pool(rule.pool)
                yield Event(rule.kind, pool, at, rule.length_s, disks, rule.factor, block_bytes=rule.block_bytes)
            turn += 1
    for at in maintenance(anchor, start - MAINTENANCE_S, end):
        if MAINTAINED in there:
            yield Event(Kind.MAINTENANCE, cast.pool(MAINTAINED), at, MAINTENANCE_S, factor=6.0)
    if WORN_POOL in there:
        worn = cast.in_pool(WORN_POOL)[WORN_PLACE].number
        # Long enough for any demonstration; its strength is that of its own time, whatever is asked for.
        yield Event(Kind.DISK, cast.pool(WORN_POOL), anchor - WORN_FOR_S, 60 * DAY_S, (worn,), 16.0)
    if {MOVED_FROM, MOVED_TO} <= there.keys():
        moved = cast.in_pool(MOVED_FROM)[MOVED_PLACE].number
        yield Event(
            Kind.MIGRATION, cast.pool(MOVED_FROM), moved_at(anchor), 20 * MINUTE_S, (moved,), 1.3,
            to_pool=cast.pool(MOVED_TO),
        )  # fmt: skip


def moved_at(anchor: int) -> int:
    """When the disk that migrates did so."""
    return anchor - MOVED_AGO_S


def silent_since(anchor: int) -> int:
    """When the silent agent was heard last."""
    return anchor - SILENT_FOR_S


def maintenance(anchor: int, start: int, end: int) -> list[int]:
    """When the planned windows of MAINTAINED begin, in [start, end): at 02:00 UTC, every few days, one tomorrow."""
    first = anchor // DAY_S * DAY_S + DAY_S + 2 * HOUR_S
    turn = -(-(start - first) // MAINTENANCE_EVERY_S)
    found = []
    while (at := first + turn * MAINTENANCE_EVERY_S) < end:
        found.append(at)
        turn += 1
    return found
