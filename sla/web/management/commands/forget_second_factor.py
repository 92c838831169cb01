"""Lets somebody in again who lost app, keys and codes: their second factors are removed, and it is written down."""

from typing import Any

from allauth.mfa.models import Authenticator
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from sla.accounts.models import User
from sla.accounts.services import record_of_person


class Command(BaseCommand):
    """For who administers the machine; make sure first who is asking."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the person's name here")

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        person = User.objects.filter(username=options["name"]).first()
        if person is None:
            raise CommandError(f"there is nobody of the name {options['name']!r}")
        kinds = list(Authenticator.objects.filter(user=person).order_by("type").values_list("type", flat=True))
        Authenticator.objects.filter(user=person).delete()
        record_of_person(
            person,
            verb="second factors removed",
            object_label=person.username,
            actor_label="forget_second_factor",
            before={"types": kinds},
        )
        self.stdout.write(f"{person.username}: {len(kinds)} removed; the password alone logs in now")
