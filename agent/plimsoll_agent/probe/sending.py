"""What becomes of a test's result: saved where asked, and told to the server where this machine's agent has one."""

from __future__ import annotations

import argparse
import json
import time
from typing import Any, Callable

from ..settings import Settings
from ..state import write_atomically
from . import outbox, result
from .home import Home, NoHome, say, tell
from .place import disk_under
from .target import Refused


class Telling:
    """Made before the test begins, so that its disk is known before anything is written."""

    def __init__(self, options: argparse.Namespace, settings: Callable[[], Settings]) -> None:
        """Raises Refused where the disk is asked for and cannot be told."""
        self.options = options
        self.begun_at = time.time()
        self.home: Home | None = None
        self.disk = None
        if options.no_upload and not options.save:
            return
        try:
            self.home = Home(settings)
            self.disk = disk_under(options.target, self.home.settings, options.disk)
        except (NoHome, Refused) as error:
            if options.disk or options.save:
                raise Refused(f"the result could not be told: {error}") from error
            say(f"the result is only shown here: {error}")

    def send(self, kind: str, **figures: Any) -> None:
        """Save and send as asked; what cannot be sent now waits for the agent's next upload."""
        if self.home is None or self.disk is None:
            return
        ended = result.ended_now(self.begun_at)
        body = result.told(kind, self.disk, self.options.target, self.begun_at, ended_at=ended, **figures)
        if self.options.save:
            write_atomically(self.options.save, json.dumps(body).encode() + b"\n", durable=True)
            say(f"the result is in {self.options.save}")
        if not self.options.no_upload:
            tell(self.home, body)


def upload(path: str, settings: Callable[[], Settings]) -> bool:
    """`probe --upload FILE`. False where the server did not take it. Raises Refused."""
    try:
        return tell(Home(settings), outbox.read(path))
    except (NoHome, ValueError) as error:
        raise Refused(str(error)) from error
