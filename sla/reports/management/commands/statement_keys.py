"""`manage.py statement_keys [--rotate] [--public NAME]`: which keys sign statements, and their public halves."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from sla.reports import keys
from sla.reports.models import SigningKey


class Command(BaseCommand):
    """Lists the keys; what an old one signed stays verifiable by its public half."""

    help = "Lists the keys that sign statements, rotates them, prints a public key."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--rotate", action="store_true", help="make a new key; it signs from now on")
        parser.add_argument("--public", metavar="NAME", help="print this key's public half as PEM")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["rotate"]:
                keys.rotate()
            elif not options["public"]:
                keys.signer()
        except keys.NoKey as error:
            raise CommandError(str(error)) from error
        if options["public"]:
            key = SigningKey.objects.filter(name=options["public"]).first()
            if key is None:
                raise CommandError(f"there is no key {options['public']!r}")
            self.stdout.write(keys.pem(key).decode(), ending="")
            return
        for key in SigningKey.objects.all():
            until = f"retired {key.retired_at:%F}" if key.retired_at else "signs now"
            self.stdout.write(f"{key.name}  made {key.created_at:%F}  {until}  {key.statements.count()} statements")
