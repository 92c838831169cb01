"""Did the work of Plimsoll itself happen on time? What is late or failing, in words."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# A task may miss this many turns, and this much besides: a restart, a long batch, a busy machine.
MISSED_TURNS = 3
GRACE_S = 60
# Minutes wait two seconds for their turn; two minutes are a fault. The same for disks that wait for the rules.
DUE_LATE_S = 120
MARKS_LATE_S = 60


@dataclass(frozen=True, slots=True)
class Turn:
    """A task of the schedule. `ok_s`: seconds since its last good run began, None: never; `error`: of its last run,
    where that failed."""

    task: str
    every_s: float
    ok_s: float | None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits: how many, and for how long the oldest has."""

    what: str
    count: int
    oldest_s: float
    limit_s: float


def limit_s(every_s: float) -> float:
    """From when on a task is late."""
    return MISSED_TURNS * every_s + GRACE_S


def spell(seconds: float) -> str:
    """40 s, 12 min, 3 h."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7_200 else f"{seconds / 3_600:.0f} h"


def late(turns: Iterable[Turn], up_s: float) -> Iterator[str]:
    """Tasks that did not end well for too long. `up_s`: since when the schedule runs; nothing is later than that."""
    for turn in turns:
        since = up_s if turn.ok_s is None else min(turn.ok_s, up_s)
        if since > limit_s(turn.every_s):
            ran = "never ended well" if turn.ok_s is None else f"last ended well {spell(turn.ok_s)} ago"
            yield f"{turn.task} {ran}, it is due every {spell(turn.every_s)}" + (
                f": {turn.error}" if turn.error else ""
            )


def waiting(backlogs: Iterable[Backlog]) -> Iterator[str]:
    """What waits for too long."""
    for one in backlogs:
        if one.count and one.oldest_s > one.limit_s:
            yield f"{one.count} {one.what}, the oldest for {spell(one.oldest_s)}"
