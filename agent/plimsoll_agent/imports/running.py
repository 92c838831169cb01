"""The process that stays, where another agent is read: one importer for each state folder."""

from __future__ import annotations

import os
import sys

from ..settings import Settings, SettingsError, from_environment
from ..state import StateError, lock, open_state, park
from .importer import Importer
from .scrape import ScrapeError


def main() -> int:
    """Run until told to stop. Exit codes: 0 stopped, 2 the settings or folders do not allow it."""
    environ = dict(os.environ)
    try:
        settings = Settings(from_environment(environ))
        state = open_state(settings)
        held = lock(state.top + "/sampler.lock")
        environ["PLIMSOLL_RUN_DIR"] = state.run  # the children must use the very folder that was found here
        importer = Importer(settings, state, environ)
    except (SettingsError, StateError, ScrapeError) as error:
        sys.stderr.write(f"plimsoll-agent: {error}\n")
        return 2
    if held is None:
        sys.stderr.write(f"plimsoll-agent: another agent is running with {state.top}\n")
        return 2
    importer.run()
    park(state)
    os.close(held)
    return 0
