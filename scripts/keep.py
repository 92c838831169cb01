"""Keep one process of the house alive.

A keeper starts it, starts it again when it dies (at once at first, more slowly while it keeps dying), and on SIGTERM or
SIGINT stops it and everything it has started. A process that dies is restarted alone: the others never notice more than
a refused connection.
"""

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from scripts.locks import Lock, holder_of
from scripts.paths import PIDS
from scripts.ports import answers
from scripts.shell import as_user

STOP_SIGNALS = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
WATCHED = STOP_SIGNALS | {signal.SIGCHLD}
LOOK_EVERY_S = 0.5  # at the lock that says whether we are still wanted; a death is noticed at once
FIRST_DELAY_S, LONGEST_DELAY_S = 0.2, 5.0
STEADY_AFTER_S = 10.0  # a process that lived so long starts again with the first delay
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True)
class Job:
    """What to keep, and how to stop it."""

    name: str
    command: str
    user: str | None = None  # root only: drop to this user
    stop_signal: signal.Signals = signal.SIGTERM
    stop_wait_s: float = 8.0  # then it is killed
    after: tuple[str, ...] = ()  # keepers that must have gone before this one stops its process
    after_wait_s: float = 15.0
    while_held: Path | None = None  # stop as well when nobody holds this file's lock any more
    when_listening: int | None = None  # start only once something listens on this port
    pids: Path = PIDS

    @property
    def lock(self) -> Path:
        """Held by the keeper as long as it lives."""
        return self.pids / f"{self.name}.keeper"

    @property
    def pid_file(self) -> Path:
        """Holds the process's id; gone once the keeper has made up its mind to stop."""
        return self.pids / f"{self.name}.pid"


def say(job: Job, text: str) -> None:
    print(f"keeper of {job.name}: {text}", flush=True)


def start(job: Job) -> subprocess.Popen:
    """The process, leader of a session of its own, told by the kernel should this keeper be killed."""

    def in_child() -> None:
        # After the change of user, which would clear it.
        LIBC.prctl(PR_SET_PDEATHSIG, int(job.stop_signal))
        # A shell that starts a job in the background has it ignore SIGINT: the kept process must not inherit that.
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, WATCHED)

    child = subprocess.Popen(
        ["/bin/sh", "-c", f"exec {job.command}"],
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=in_child,  # noqa: PLW1509  this program has one thread
        **({} if job.user is None else as_user(job.user)),
    )
    job.pid_file.write_text(f"{child.pid}\n")
    return child


def await_signal(seconds: float) -> int | None:
    caught = signal.sigtimedwait(WATCHED, max(seconds, 0))
    return caught.si_signo if caught else None


def is_unwanted(job: Job) -> bool:
    """Decided under the lock that starters hold too: none of them can count on a process that is about to stop."""
    if job.while_held is None or holder_of(job.while_held) is not None:
        return False
    starting = Lock(job.pids / "starting")
    if not starting.take():
        return False
    try:
        if holder_of(job.while_held) is not None:
            return False
        job.pid_file.unlink(missing_ok=True)
        return True
    finally:
        starting.release()


def told_to_stop(job: Job, seconds: float, ended: Callable[[], bool] = lambda: False) -> bool:
    """Wait so long, or until `ended`; True as soon as this keeper is to stop."""
    end = time.monotonic() + seconds
    while not ended():
        left = end - time.monotonic()
        if await_signal(min(left, LOOK_EVERY_S)) in STOP_SIGNALS or is_unwanted(job):
            return True
        if left <= 0:
            break
    return False


def kill_rest(child: subprocess.Popen) -> None:
    """What the dead process left behind in its group would hold its ports and files."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)


def stop(job: Job, child: subprocess.Popen) -> None:
    waiting_until = time.monotonic() + job.after_wait_s
    for name in job.after:
        while holder_of(job.pids / f"{name}.keeper") is not None and time.monotonic() < waiting_until:
            await_signal(0.05)
    if child.poll() is None:
        child.send_signal(job.stop_signal)
        try:
            child.wait(job.stop_wait_s)
        except subprocess.TimeoutExpired:
            say(job, f"did not stop within {job.stop_wait_s:g} s, killing it")
            child.kill()
            child.wait()
    kill_rest(child)


def how_it_ended(code: int) -> str:
    return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"


def keep(job: Job) -> None:
    """Until told to stop."""
    delay = FIRST_DELAY_S
    if job.when_listening is not None:
        port = job.when_listening
        while not answers(port):
            if told_to_stop(job, 0.2):
                return
    while True:
        child, begin = start(job), time.monotonic()
        if told_to_stop(job, float("inf"), ended=lambda child=child: child.poll() is not None):
            stop(job, child)
            return
        kill_rest(child)
        if time.monotonic() - begin > STEADY_AFTER_S:
            delay = FIRST_DELAY_S
        say(job, f"process {child.pid} {how_it_ended(child.returncode)}, starting it again in {delay:g} s")
        if told_to_stop(job, delay):
            return
        delay = min(2 * delay, LONGEST_DELAY_S)


def run(job: Job) -> int:
    """Be the keeper; 1 where another one keeps this process already."""
    # Blocked from here on and waited for: no handler can interrupt anything half done.
    signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
    lock = Lock(job.lock)
    if not lock.take():
        say(job, f"it is kept already, by process {holder_of(job.lock)}")
        return 1
    try:
        keep(job)
    finally:
        job.pid_file.unlink(missing_ok=True)
        lock.release()
    return 0
