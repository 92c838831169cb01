"""`manage.py score --from T --to T [--disk ID]`: score again from stored frames; running it twice changes nothing."""

from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from sla.fleet.models import Disk
from sla.scoring.services import rescore


def unix_seconds(text: str) -> int:
    """Unix seconds, or an ISO moment (UTC unless it names an offset). CommandError with the value otherwise."""
    if text.isdigit():
        return int(text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise CommandError(f"{text!r} is no moment: give Unix seconds or like 2026-11-21T12:00") from error
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())


class Command(BaseCommand):
    """Score again what frames are still kept of."""

    help = "Scores minutes again from stored frames."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--from", dest="start", required=True, help="Unix seconds or ISO, inclusive")
        parser.add_argument("--to", dest="end", required=True, help="Unix seconds or ISO, exclusive")
        parser.add_argument("--disk", type=int, help="id of one disk; all without it")

    def handle(self, *args: Any, **options: Any) -> None:
        start, end = unix_seconds(options["start"]), unix_seconds(options["end"])
        if start >= end:
            raise CommandError(f"--from {options['start']} is not before --to {options['end']}")
        if options["disk"] is not None and not Disk.objects.filter(pk=options["disk"]).exists():
            raise CommandError(f"there is no disk {options['disk']}")

        def progress(done: int, disks: int) -> None:
            self.stderr.write(f"\r{done} of {disks} disks", ending="" if done < disks else "\n")

        slots = rescore(start=start, end=end, disk=options["disk"], progress=progress)
        self.stdout.write(f"scored {slots} slots")
