"""Make something happen to a pool of the demonstration that runs: `demo_event ssd-1 --minutes 5` stalls it."""

import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from sla.demo import staged, state
from sla.demo.cast import cast
from sla.simulator.world import Event, Kind

MINUTE_S, AHEAD_M = 60, 2  # the agents' process is a minute ahead
KINDS = {"fault": Kind.FAULT, "burst": Kind.BURST}
MOST_MINUTES, MOST_FACTOR = 120, 10_000.0


class Command(BaseCommand):
    """The alerts, the pool's page and the recovery that follow are the product's own."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("pool", help="its name, such as ssd-1")
        parser.add_argument("--kind", choices=sorted(KINDS), default="fault", help="fault: the back end itself")
        parser.add_argument("--minutes", type=int, default=5)
        parser.add_argument("--factor", type=float, default=400.0, help="how many times longer an I/O takes")
        parser.add_argument("--disk", type=int, default=1, help="burst: which of the pool's disks does it, from 1")

    def handle(self, *args: Any, **options: Any) -> None:
        kept = state.load(state.path())
        if kept is None:
            raise CommandError("no demonstration was made here: `make demo` makes one")
        minutes, factor, name = options["minutes"], options["factor"], options["pool"]
        if not 1 <= minutes <= MOST_MINUTES:
            raise CommandError(f"--minutes {minutes}: 1 to {MOST_MINUTES}")
        if not 1 < factor <= MOST_FACTOR:
            raise CommandError(f"--factor {factor:g}: more than 1, at most {MOST_FACTOR:g}")
        who = cast(kept.seed)
        if name not in who.names:
            raise CommandError(f"no pool is named {name!r}: {', '.join(who.names)}")
        kind = KINDS[options["kind"]]
        start = (int(time.time()) // MINUTE_S + AHEAD_M) * MINUTE_S
        disks: tuple[int, ...] = ()
        if kind is Kind.BURST:
            members = who.in_pool(name)
            if not 1 <= options["disk"] <= len(members):
                raise CommandError(f"--disk {options['disk']}: the pool {name} has 1 to {len(members)}")
            disks = (members[options["disk"] - 1].number,)
        staged.add(staged.path(), Event(kind, who.pool(name), start, minutes * MINUTE_S, disks, factor))
        clock = time.strftime("%H:%M", time.gmtime(start))
        self.stdout.write(f"{name}: {kind.value} from {clock} UTC, {minutes} minutes, {factor:g} times longer")
