"""Make something happen to a pool of the demonstration that runs: `demo_event archive-1 --minutes 5` stalls it.

Several pools at once, `demo_event ssd-1 hdd-1`, are a trouble above all of them.
"""

import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from sla.demo import staged, state
from sla.demo.cast import Cast, cast
from sla.simulator.world import Event, Kind

MINUTE_S, AHEAD_M = 60, 2  # the agents' process is a minute ahead
KINDS = {"fault": Kind.FAULT, "burst": Kind.BURST}
MOST_MINUTES, MOST_FACTOR = 120, 10_000.0


class Command(BaseCommand):
    """The alerts, the pool's page and the recovery that follow are the product's own."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("pools", nargs="+", metavar="pool", help="its name, such as ssd-1")
        parser.add_argument("--kind", choices=sorted(KINDS), default="fault", help="fault: the back end itself")
        parser.add_argument("--minutes", type=int, default=5)
        parser.add_argument("--factor", type=float, default=400.0, help="how many times longer an I/O takes")
        parser.add_argument("--disk", type=int, default=1, help="burst: which of the pool's disks does it, from 1")

    def handle(self, *args: Any, **options: Any) -> None:
        kept = state.load(state.path())
        if kept is None:
            raise CommandError("no demonstration was made here: `make demo` makes one")
        minutes, factor = options["minutes"], options["factor"]
        if not 1 <= minutes <= MOST_MINUTES:
            raise CommandError(f"--minutes {minutes}: 1 to {MOST_MINUTES}")
        if not 1 < factor <= MOST_FACTOR:
            raise CommandError(f"--factor {factor:g}: more than 1, at most {MOST_FACTOR:g}")
        who, kind = cast(kept.seed), KINDS[options["kind"]]
        start = (int(time.time()) // MINUTE_S + AHEAD_M) * MINUTE_S
        whose = {name: _culprits(who, name, kind, options["disk"]) for name in options["pools"]}
        clock = time.strftime("%H:%M", time.gmtime(start))
        for name, disks in whose.items():
            staged.add(staged.path(), Event(kind, who.pool(name), start, minutes * MINUTE_S, disks, factor))
            self.stdout.write(f"{name}: {kind.value} from {clock} UTC, {minutes} minutes, {factor:g} times longer")


def _culprits(who: Cast, name: str, kind: Kind, place: int) -> tuple[int, ...]:
    """The disk of that pool that does it; nobody where it is the back end itself."""
    if name not in who.names:
        raise CommandError(f"no pool is named {name!r}: {', '.join(who.names)}")
    if kind is not Kind.BURST:
        return ()
    members = who.in_pool(name)
    if not 1 <= place <= len(members):
        raise CommandError(f"--disk {place}: the pool {name} has 1 to {len(members)}")
    return (members[place - 1].number,)
