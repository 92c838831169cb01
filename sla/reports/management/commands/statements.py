"""`manage.py statements --period 2026-10 [--customer NAME …]`: state a closed month for all customers, or these."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from sla.accounts.models import Customer
from sla.domain.period import PeriodError
from sla.reports.due import begin_batch, run_batch


class Command(BaseCommand):
    """Prints what was made, and one line for every customer whose month could not be stated."""

    help = "States a closed month: one frozen, signed statement a customer; corrections get a new number."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--period", required=True, help="like 2026-10")
        parser.add_argument("--customer", action="append", help="by name or id; all without it")
        parser.add_argument("--reason", default="", help="why a month that was stated before is stated again")

    def handle(self, *args: Any, **options: Any) -> None:
        customers = [self._customer(named) for named in options["customer"]] if options["customer"] else None
        try:
            batch = begin_batch(period=options["period"], customers=customers)
        except PeriodError as error:
            raise CommandError(str(error)) from error

        def progress(done: int, of: int) -> None:
            self.stderr.write(f"\r{done} of {of} customers", ending="" if done < of else "\n")

        done = run_batch(batch, customers, reason=options["reason"], progress=progress)
        for name, sentence in done.problems:
            self.stdout.write(f"{name}: {sentence}")
        self.stdout.write(f"{done.period}: {done.made} statements made for {done.done} customers")
        if customers and done.problems:
            raise CommandError("not every customer that was named could be stated")

    def _customer(self, named: str) -> Customer:
        found = Customer.objects.filter(name=named).first()
        if found is None and named.isdecimal():
            found = Customer.objects.filter(pk=int(named)).first()
        if found is None:
            raise CommandError(f"there is no customer {named!r}")
        return found
