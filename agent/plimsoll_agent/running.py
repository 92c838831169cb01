"""The process that stays: one sampler for each state folder."""

from __future__ import annotations

import os
import sys

from .ebpf.table import handed_over
from .punctual import be_punctual
from .sampler import Sampler
from .settings import Settings, SettingsError, from_environment
from .state import StateError, lock, open_state, park


def main() -> int:
    """Run until told to stop. Exit codes: 0 stopped, 2 the settings or folders do not allow it."""
    environ = dict(os.environ)
    try:
        settings = Settings(from_environment(environ))
        state = open_state(settings)
        table = handed_over(environ)
        held = lock(state.top + "/sampler.lock")
    except (SettingsError, StateError) as error:
        sys.stderr.write(f"plimsoll-agent: {error}\n")
        return 2
    if held is None:
        sys.stderr.write(f"plimsoll-agent: another agent is running with {state.top}\n")
        return 2
    # The children must use the very folder that this process has found.
    environ["PLIMSOLL_RUN_DIR"] = state.run
    Sampler(settings, state, environ, be_punctual(), table).run()
    park(state)
    os.close(held)
    return 0
