"""The watcher's process as the sampler sees it: started, never waited for, started again when it ends."""

from __future__ import annotations

import os
import sys

from ..child import BARE, LIGHT
from ..kernel.files import read_bytes
from ..state import State, pairs_from_bytes

NS_PER_S = 1_000_000_000
AGAIN_S = 5
SIGINT = 2
NOTES = "hypervisor"


class Keeper:
    """Holds one end of a pipe: when this process ends, however it does, so does the other one."""

    __slots__ = ("_alive", "_due_ns", "_environ", "_pid", "_state")

    def __init__(self, state: State, environ: dict[str, str]) -> None:
        self._state = state
        self._environ = environ
        self._pid = 0
        self._alive = -1
        self._due_ns = 0

    def tend(self, now_ns: int) -> None:
        """Once a second: take leave of one that ended, start one that is due."""
        if self._pid:
            pid, _ = os.waitpid(self._pid, os.WNOHANG)
            if pid:
                self._leave(now_ns)
        if not self._pid and now_ns >= self._due_ns:
            self._start(now_ns)

    def _start(self, now_ns: int) -> None:
        theirs, self._alive = os.pipe()
        try:
            self._pid = os.posix_spawn(
                sys.executable,
                [*BARE, LIGHT, "watch"],
                self._environ,
                file_actions=[(os.POSIX_SPAWN_DUP2, theirs, 0)],
                setsigmask=[SIGINT],
            )
        except OSError:
            self._leave(now_ns)
        finally:
            os.close(theirs)

    def _leave(self, now_ns: int) -> None:
        self._pid = 0
        self._due_ns = now_ns + AGAIN_S * NS_PER_S
        if self._alive >= 0:
            os.close(self._alive)
            self._alive = -1

    @property
    def running(self) -> bool:
        """Is there one?"""
        return self._pid != 0

    def notes(self) -> dict[str, str]:
        """What it says of itself: what it cannot do, what it takes; nothing while it has said nothing."""
        return pairs_from_bytes(read_bytes(f"{self._state.run}/{NOTES}"))

    def close(self) -> None:
        """Have it end its frames and go; `running` until `tend` has seen that it did."""
        if self._alive >= 0:
            os.close(self._alive)
            self._alive = -1
        self._due_ns = 1 << 62
