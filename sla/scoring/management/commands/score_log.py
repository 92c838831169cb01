"""`manage.py score_log FILE --contract "99% < 15 ms at 1000 IOPS" [--json]`: judge a log; needs no database."""

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from sla.domain.contract import ContractError
from sla.domain.contract_text import EXAMPLE, parse_contract
from sla.domain.logs.read import score_log
from sla.domain.logs.sample import LogError


class Command(BaseCommand):
    """Reads iostat, sar, sadf and fio logs and recordings of plimsoll-agent."""

    help = "Judges a recorded log by a contract. FILE may be - for standard input."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file")
        parser.add_argument("--contract", default=EXAMPLE, help=f"default: {EXAMPLE}")
        parser.add_argument("--interval", type=float, help="seconds a row lasts, where the log does not say")
        parser.add_argument(
            "--in-flight",
            choices=("driver", "accounted"),
            default="driver",
            help="recordings: accounted from Linux 6.16 on",
        )
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            contract = parse_contract(options["contract"])
            data = sys.stdin.buffer.read() if options["file"] == "-" else Path(options["file"]).read_bytes()
            answer = score_log(data, contract, interval=options["interval"], rule=options["in_flight"])
        except (ContractError, LogError, OSError) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(answer))
        else:
            self.stdout.write("\n".join(spoken(answer)))


def spoken(answer: dict[str, Any]) -> list[str]:
    """The answer as lines for people."""
    lines = [f"{answer['format']}, judged by {answer['contract']}"]
    for row in answer["rows"]:
        latency = "-" if row["await_ms"] is None else f"{row['await_ms']:g} ms"
        lines.append(
            f"  {row['time'] or ''} {row['device']}: {row['ios']} I/Os in {row['seconds']:g} s, {latency}: "
            f"{row['case']}, {row['word']}"
        )
    sli = answer["sli"]
    lines.append(f"{answer['device']}: {answer['word']}, evidence {answer['grade']}")
    lines.append(f"SLI low {sli['low']}, estimate {sli['estimate']}, high {sli['high']}")
    lines += [f"note: {note}" for note in answer["notes"]]
    return [*lines, f"better evidence: {answer['needs']}"]
