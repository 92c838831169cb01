"""Make the simulated fleet of `make demo`: inventory, a month of history, how it stands; later what is missing."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from sla.contracts.services import ensure_default_contract
from sla.demo import state
from sla.demo.prepare import prepare, write_month


class Command(BaseCommand):
    """Run by `make demo` before its processes start."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--file", type=Path, default=Path(settings.BASE_DIR) / "var" / "first-run.json")
        parser.add_argument("--month", action="store_true", help="only the hours of the month, for what is begun")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["month"]:
            kept = state.load(state.path())
            if kept is None:
                raise CommandError("no demonstration was begun here: `make demo` begins one")
            write_month(kept, self.say)
            return
        ensure_default_contract()
        prepare(state.path(), options["file"], self.say, beside=self.beside)

    def say(self, words: str) -> None:
        self.stdout.write(f"  · {words}")
        self.stdout.flush()

    def beside(self) -> Callable[[], None]:
        """The month on the other core."""
        other = subprocess.Popen([sys.executable, "manage.py", "demo_prepare", "--month"], cwd=settings.BASE_DIR)

        def wait() -> None:
            if other.wait():
                raise CommandError("the hours of the month could not be written: see above")

        return wait
