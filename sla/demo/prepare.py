"""Make the demonstration ready to be looked at, or ready again: who, what was, how it stands."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from django.db import transaction

from sla.demo import fleet as fleets
from sla.demo import history, state, story
from sla.demo.cast import POOLS, cast
from sla.demo.history import Plan
from sla.demo.odometer import Odometer
from sla.demo.present import stand
from sla.neighbours.services import detect_due
from sla.simulator.world import DAY_S

# Longer away than this and the hole stays: agents keep about so much in their spool.
CATCH_UP_S = DAY_S
# What is left then is the worker's.
DETECT_S = 30.0
Say = Callable[[str], None]
Beside = Callable[[], Callable[[], None]]


@dataclass(frozen=True, slots=True)
class Size:
    """How large: the pools, and how far back."""

    pools: tuple[tuple[str, int], ...] = POOLS
    month_s: int = story.MONTH_S
    slot_days: int = history.SLOT_DAYS
    frames_s: int = history.FRAMES_S

    def plan(self, anchor: int) -> Plan:
        return Plan.of(anchor, month_s=self.month_s, slot_days=self.slot_days, frames_s=self.frames_s)


def prepare(file: Path, first_run: Path, say: Say, size: Size = Size(), beside: Beside | None = None) -> state.State:
    """Make what is missing. The first time a month, later what happened since the demonstration stopped.

    beside: starts `write_month` in another program and returns what waits for it; without it, it is done here.
    """
    begun = time.monotonic()
    kept = state.load(file)
    if kept is None or not fleets.is_made(cast(kept.seed, size.pools)):
        kept = state.State(anchor=history.now_minute())
        who = cast(kept.seed, size.pools)
        with transaction.atomic():
            fleets.make(who, kept.anchor)
            state.save(file, kept)
        say(f"{len(who.members)} disks in {len(who.names)} pools: {time.monotonic() - begun:.0f} s")
    if kept.ready:
        _resume(kept, say, size)
    else:
        made = kept
        _write_past(kept, say, size, beside or (lambda: lambda: write_month(made, say, size)))
        _introduce(first_run)
        kept = replace(kept, ready=True)
        state.save(file, kept)
    say(f"demonstration ready in {time.monotonic() - begun:.0f} s")
    return kept


def _write_past(kept: state.State, say: Say, size: Size, beside: Beside) -> None:
    """All of it up to the anchor, then what has passed while it was written."""
    plan = size.plan(kept.anchor)
    wait = beside()
    fleet = fleets.fleet_of(cast(kept.seed, size.pools), kept.anchor, kept.anchor + DAY_S)
    odometer = Odometer.of(len(fleet.disks))
    history.recent(fleet, plan, odometer, progress(say))
    wait()
    history.add_up(fleet, plan)
    history.catch_up(fleet, odometer, plan.end, history.now_minute())
    stand(fleet.ids, first=plan.hours, since=plan.frames)
    _find_neighbours(say)


def write_month(kept: state.State, say: Say, size: Size = Size()) -> None:
    """The hours of the days before: a part of the past that needs nothing of the others."""
    fleet = fleets.fleet_of(cast(kept.seed, size.pools), kept.anchor, kept.anchor, started=fleets.OLDER)
    history.month(fleet, size.plan(kept.anchor), progress(say))


def _find_neighbours(say: Say) -> None:
    """Follow the pools through the minutes there are, as the worker does from then on."""
    done = detect_due(budget_s=DETECT_S)
    say(f"neighbours: {done.windows} windows found")


def progress(say: Say) -> history.Told:
    """A line each quarter, so that somebody who waits sees it move."""
    said: dict[str, float] = {}

    def told(what: str, share: float) -> None:
        if share >= 1 or share - said.get(what, 0.0) >= 0.25:
            said[what] = share
            say(f"{what}: {share:.0%}")

    return told


def _introduce(first_run: Path) -> None:
    """A customer's user, beside the NOC's in the file of the first run."""
    user, password = fleets.viewer()
    if first_run.is_file():
        first = json.loads(first_run.read_text())
        first_run.write_text(json.dumps({**first, "customer_user": user, "customer_password": password}, indent=1))


def _resume(kept: state.State, say: Say, size: Size) -> None:
    who = cast(kept.seed, size.pools)
    now = history.now_minute()
    fleets.keep_maintenance(who, kept.anchor, now)
    fleet = fleets.fleet_of(who, kept.anchor, now, started=now)
    last = history.newest_slot(fleet.ids)
    if last is not None and 0 < now - last <= CATCH_UP_S:
        written = history.catch_up(fleet, Odometer.of(len(fleet.disks)), last, now)
        say(f"caught up with {(now - last) // 60} minutes ({written} slots)")
    elif last is not None and now > last:
        say(f"the demonstration was off for {(now - last) // 3_600} hours: they stay a hole")
    stand(fleet.ids, first=size.plan(kept.anchor).hours, since=now - 2 * DAY_S)
    _find_neighbours(say)
