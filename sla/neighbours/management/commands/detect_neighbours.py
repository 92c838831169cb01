"""`manage.py detect_neighbours --from T --to T [--pool NAME]`: follow pools again over a time; twice gives the same."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from sla.fleet.models import Pool
from sla.neighbours.again import redetect
from sla.scoring.management.commands.score import unix_seconds


class Command(BaseCommand):
    """Times are Unix seconds or ISO 8601 (UTC where it names no zone)."""

    help = "Finds noisy-neighbour windows again from stored slots."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--from", dest="start", required=True)
        parser.add_argument("--to", dest="end", required=True)
        parser.add_argument("--pool", help="name; all pools without it")

    def handle(self, *args: Any, **options: Any) -> None:
        start, end = unix_seconds(options["start"]), unix_seconds(options["end"])
        if end <= start:
            raise CommandError(f"--to {options['end']} does not lie after --from {options['start']}")
        pools = Pool.objects.order_by("name")
        if options["pool"] is not None:
            pools = pools.filter(name=options["pool"])
            if not pools:
                raise CommandError(f"there is no pool {options['pool']!r}")
        for pool in pools:
            found = redetect(start=start, end=end, pool=pool.pk)
            self.stdout.write(f"{pool.name}: {found} windows")
