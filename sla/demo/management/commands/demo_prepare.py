"""Make the simulated fleet of `make demo`: inventory, a month of history, how it stands; later what is missing."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from sla.contracts.services import ensure_default_contract
from sla.demo import state
from sla.demo.prepare import prepare


class Command(BaseCommand):
    """Run by `make demo` before its processes start."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--file", type=Path, default=Path(settings.BASE_DIR) / "var" / "first-run.json")

    def handle(self, *args: Any, **options: Any) -> None:
        ensure_default_contract()
        prepare(state.path(), options["file"], lambda words: self.stdout.write(f"  · {words}"))
