"""`manage.py detect_log FILE.csv[.gz] [--json]`: neighbour windows in exported slots; needs no database."""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from sla.domain.neighbours.backtest import backtest
from sla.domain.neighbours.export import ExportError, read_export


class Command(BaseCommand):
    """Columns time,pool,disk,ios,bytes,time_ms[,queue_ms]; one row per disk and step of 60 or 300 s."""

    help = "Finds noisy-neighbour windows, their suspects and fail-slow disks in FILE; - is standard input."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            data = sys.stdin.buffer.read() if options["file"] == "-" else Path(options["file"]).read_bytes()
            answer = backtest(read_export(data))
        except (ExportError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(answer) if options["json"] else "\n".join(spoken(answer)))


def spoken(answer: dict[str, Any]) -> list[str]:
    """The answer as lines for people; times in UTC."""
    lines = []
    for window in answer["windows"]:
        suspects = ", ".join(f"{one['disk']} {one['score']:.2f}" for one in window["suspects"])
        lines.append(
            f"{clock(window['start'])} to {clock(window['end'])} UTC  pool {window['pool']}: "
            f"x{window['severity']:.1f}, "
            f"{window['cause']} (confidence {window['confidence_word']}); "
            + (f"suspect {suspects}" if suspects else "no single culprit")
            + (f", {pools} pools at the same moment" if (pools := window["pools_together"]) else "")
        )
    lines += [
        f"{clock(one['start'])} to {clock(one['end'])} UTC  {one['disk']} alone: x{one['severity']:.1f}, {one['cause']}"
        for one in answer["own_windows"]
    ]
    lines += [
        f"{one['disk']}: slow for its load, x{one['slowdown']:.2f} its peers"
        for one in answer["disks"]
        if one["fail_slow"]
    ]
    for pool in answer["pools"]:
        least = pool["least_visible_slowdown"]
        seen = "too short a record to judge" if least is None else f"slowdowns from x{least:.2f} on would be seen"
        lines.append(f"pool {pool['pool']}{' (inferred)' if pool['inferred'] else ''}: {seen}")
    return lines


def clock(moment: int) -> str:
    """2026-11-21 14:03."""
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M}"
