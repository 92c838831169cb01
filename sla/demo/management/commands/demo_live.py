"""Send what the simulated fleet's agents send, minute after minute, and fill in its older minutes beside it."""

import os
import signal
import subprocess
import sys
import time
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from sla.contracts.services import ensure_default_contract
from sla.demo import fleet as fleets
from sla.demo import history, state
from sla.demo.cast import cast
from sla.demo.live import Live, keep_sending
from sla.demo.prepare import Size

SPOOL_S = 900


class Command(BaseCommand):
    """Run by `make demo` until Ctrl-C."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--url", default=settings.BASE_URL)
        parser.add_argument("--older", action="store_true", help="fill in older minutes, then end")

    def handle(self, *args: Any, **options: Any) -> None:
        kept = state.load(state.path())
        if kept is None:
            raise CommandError("no demonstration was made here: `make demo` makes one")
        # Nothing is half done here that a transaction would not undo.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        if options["older"]:
            self.fill(kept)
            return
        # A process of its own, so that it takes no turn from the agents; it ends with this one.
        filler = subprocess.Popen([sys.executable, "manage.py", "demo_live", "--older"], cwd=settings.BASE_DIR)
        try:
            self.send(kept, options["url"])
        finally:
            filler.kill()
            filler.wait()

    def send(self, kept: state.State, url: str) -> None:
        ensure_default_contract()
        who = cast(kept.seed)
        start = now = history.now_minute()
        fleet = fleets.fleet_of(who, kept.anchor, start, started=now)
        last = history.newest_slot(fleet.ids)
        if last is not None and now - SPOOL_S < last < now:
            start = last  # what has passed since is sent at once
        ruling = [fleet.term_at(number, start) for number in range(len(who.members))]
        terms = {number: contract.term(term) for number, (term, contract) in enumerate(ruling)}
        live = Live(who, kept.anchor, fleets.enter(who, fleets.moment(now), now), terms, now)

        def told(minute: int, accepted: int) -> None:
            if accepted < len(who.members) // 2:
                self.stderr.write(f"only {accepted} frames of the minute {fleets.moment(minute):%H:%M} were taken")

        keep_sending(live, url, start, told)

    def fill(self, kept: state.State) -> None:
        os.nice(15)
        who = cast(kept.seed)
        fleet = fleets.fleet_of(who, kept.anchor, kept.anchor, started=fleets.OLDER)
        shown = 0.0

        def told(what: str, share: float) -> None:
            nonlocal shown
            if share >= shown + 0.1 or share >= 1:
                shown = share
                self.stdout.write(f"{what}: {share:.0%}")
            # Between two days the fleet's own minutes go first.
            time.sleep(1)

        history.older_slots(fleet, Size().plan(kept.anchor), told)
