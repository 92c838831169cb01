"""`manage.py what_if PERIOD --contract TEXT [--disk ID …] [--from-frames]`: a stored month under other terms."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from sla.domain.contract import ContractError
from sla.domain.contract_text import parse_contract
from sla.domain.period import PeriodError, parse_period
from sla.fleet.models import Disk
from sla.scoring.what_if import WhatIf, summary, what_if_from_frames, what_if_from_hours


class Command(BaseCommand):
    """Prices an SLA: what would have been met, breached and paid."""

    help = "Judges a stored month by other terms."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("period", help="like 2026-11")
        parser.add_argument("--contract", required=True)
        parser.add_argument("--disk", type=int, action="append", help="id; all disks without it")
        parser.add_argument("--from-frames", action="store_true", help="exact, slow; else an estimate from hours")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            contract = parse_contract(options["contract"])
            period = parse_period(options["period"], contract.zone)
        except (ContractError, PeriodError) as error:
            raise CommandError(str(error)) from error
        known = list(Disk.objects.order_by("pk").values_list("pk", flat=True))
        if missing := sorted(set(options["disk"] or ()) - set(known)):
            raise CommandError(f"there is no disk {missing[0]}")
        disks = options["disk"] or known

        def progress(done: int, of: int) -> None:
            self.stderr.write(f"\r{done} of {of}", ending="" if done < of else "\n")

        found: list[WhatIf]
        if options["from_frames"]:
            found = [what_if_from_frames(disk, period, contract, progress) for disk in disks]
        else:
            found = list(what_if_from_hours(disks, period, contract, progress))
        answer = summary(found, contract)
        if options["json"]:
            self.stdout.write(json.dumps(answer))
            return
        for item in answer["items"]:
            self.stdout.write(
                f"disk {item['disk']}: {item['state']}, SLI {item['sli']['estimate']}, by {item['source']}"
            )
        self.stdout.write(
            f"{contract.text}: {answer['breached']} of {answer['disks']} breached, "
            f"{answer['credit_percent_mean']:g} % of the fees in credits on the mean"
        )
