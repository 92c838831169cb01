"""The process that watches a hypervisor's VMs: one beside each sampler, and gone with it."""

from __future__ import annotations

import os
import sys

from ..settings import Settings, SettingsError, from_environment
from ..state import StateError, lock, open_state
from .watcher import Watcher


def main() -> int:
    """Run until standard input is closed. Exit codes: 0 that is so, 2 settings or folders do not allow it."""
    try:
        settings = Settings(from_environment(os.environ))
        state = open_state(settings)
        held = lock(state.top + "/hypervisor.lock")
    except (SettingsError, StateError) as error:
        sys.stderr.write(f"plimsoll-agent: {error}\n")
        return 2
    if held is None:
        return 2  # the one before has not ended yet
    Watcher(settings, state).run(sys.stdin.fileno())
    os.close(held)
    return 0
