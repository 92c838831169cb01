"""The uplink child seen from the sampler: started, never waited for, ended when it hangs, tried again with patience."""

from __future__ import annotations

import os
import sys

from .state import UPLINK, State, notes

NS_PER_S = 1_000_000_000
# A minute's child must be gone before the next one: a hanging network may not pile up processes.
LONGEST_S = 50
FIRST_WAIT_S = 2
# Often enough at first that a server which is just being started finds its agents within seconds.
PATIENT_AFTER = 8
LONGEST_WAIT_S = 300
# Exit codes of uplink.main.
DONE, TRY_AGAIN = 0, 75
SIGINT = 2
# Isolated and without site packages: 10 ms and 1 MB less for each start.
BARE = (sys.executable, "-I", "-S")
HERE = os.path.dirname(os.path.abspath(__file__))
# Out of a zip no file can be run, but the zip itself can (package.py).
ZIPPED = not os.path.isdir(HERE)
LIGHT = os.path.dirname(HERE) if ZIPPED else HERE + "/light.py"
TASKS = ("sample", "import", "watch", "pack", "send", "look", "last")


class Child:
    """At most one uplink process at a time. All times are the monotonic clock in ns."""

    __slots__ = ("_environ", "_failures", "_look", "_pid", "_started_ns", "_state", "_task", "_wanted_ns", "retry_ns")

    def __init__(self, state: State, environ: dict[str, str]) -> None:
        self._state = state
        self._environ = environ
        self._pid = 0
        self._started_ns = 0
        self._failures = 0
        self._look = True
        self._task = ""
        self._wanted_ns = 0
        self.retry_ns = 0

    @property
    def running(self) -> bool:
        """Is one at work?"""
        return self._pid != 0

    def want(self, at_ns: int, *, look: bool = False) -> None:
        """There is something to do from this moment on: start one as soon as none is running.

        `look`: the disks are others than before, so that one must see whether the server knows them. The first one
        does so anyway.
        """
        self._wanted_ns = min(self._wanted_ns or at_ns, at_ns)
        self._look = self._look or look

    def tend(self, now_ns: int) -> None:
        """Once a second: take leave of one that ended, end one that hangs, start one that is due."""
        self.leave(now_ns)
        if self._pid:
            return
        if 0 < self._wanted_ns <= now_ns or 0 < self.retry_ns <= now_ns:
            # While the server is being given time, frames are still packed and put into the spool.
            patient = self.retry_ns > now_ns
            self._wanted_ns = 0
            self.start(now_ns, "pack" if patient else "look" if self._look else "send")

    def start(self, now_ns: int, task: str) -> None:
        """Start one; a machine out of processes or memory is tried again with the next frame."""
        try:
            # Ctrl-C reaches the whole group of processes: the sampler decides when its child ends, not the terminal.
            self._pid = os.posix_spawn(sys.executable, [*BARE, LIGHT, task], self._environ, setsigmask=[SIGINT])
        except OSError:
            self._fail(now_ns)
            return
        self._started_ns = now_ns
        self._task = task
        if task == "look":
            self._look = False

    def end(self) -> None:
        """End the running one, if any, at once: kill -9 loses nothing, its frames stay in the spool."""
        if self._pid:
            os.kill(self._pid, 9)

    def leave(self, now_ns: int) -> None:
        """Take leave of one that has ended; end one that has been at it for too long."""
        if not self._pid:
            return
        pid, status = os.waitpid(self._pid, os.WNOHANG)
        if not pid:
            if now_ns - self._started_ns > LONGEST_S * NS_PER_S:
                self.end()
            return
        self._pid = 0
        code = os.waitstatus_to_exitcode(status)
        if code == DONE:
            if self.retry_ns <= now_ns:
                self._failures = 0
                self.retry_ns = 0
        else:
            self._fail(now_ns)

    def _fail(self, now_ns: int) -> None:
        """Twice as long each time, and at a moment of its own: a thousand agents do not come back at once."""
        self._look = self._look or self._task == "look"
        wait_s = min(LONGEST_WAIT_S, FIRST_WAIT_S << min(max(0, self._failures - PATIENT_AFTER), 8))
        self._failures += 1
        text = notes(self._state, UPLINK).get("retry_after_s", "0")
        asked_s = min(LONGEST_WAIT_S, int(text) if text.isdigit() else 0)
        chance = int.from_bytes(os.urandom(2), "big") / 65535
        self.retry_ns = now_ns + round(max(wait_s * (0.5 + chance / 2), asked_s * (1 + chance / 4)) * NS_PER_S)
