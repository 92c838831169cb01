"""Gets out what is due now, once: what the worker does every two seconds."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from sla.notifications.deliver import deliver


class Command(BaseCommand):
    """For a house without Celery, and to see what a mail server says."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--seconds", type=float, default=60.0, help="how long to go on while something is due")

    def handle(self, *args: Any, **options: Any) -> None:
        done = deliver(budget_s=options["seconds"])
        self.stdout.write(
            f"sent {done.sent}, to be tried again {done.failed}, given up {done.given_up}, kept {done.kept}"
        )
