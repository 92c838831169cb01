"""Keepers started by a test, and stopped with it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scripts.paths import ROOT

PATIENCE_S = 10.0  # on a busy machine; every wait ends as soon as what it waits for is there


def wait_for(what: Callable[[], object], seconds: float = PATIENCE_S) -> object:
    """What the function returns once that is true; fails the test after so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := what():
            return found
        time.sleep(0.02)
    return pytest.fail(f"not within {seconds} s: {what}")


def is_alive(pid: int) -> bool:
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Kept:
    """A keeper in a process of its own, with its folder of pid files."""

    def __init__(
        self, folder: Path, name: str, command: str, *, in_background: bool = False, **settings: object
    ) -> None:
        self.folder, self.name = folder, name
        words = "".join(f", {key}={value!r}" for key, value in settings.items())
        job = f"Job({name!r}, {command!r}, pids=Path({str(folder)!r}){words})"
        code = f"import signal\nfrom pathlib import Path, PosixPath\nfrom scripts.keep import Job, run\nrun({job})"
        if in_background:  # what a shell does for `make run &`
            code = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n" + code
        self.process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)

    def pid(self) -> int | None:
        """The kept process; None while there is none."""
        try:
            return int((self.folder / f"{self.name}.pid").read_text())
        except (FileNotFoundError, ValueError):
            return None

    def other_pid_than(self, old: int) -> int | None:
        now = self.pid()
        return now if now not in {None, old} else None

    def stop(self, number: signal.Signals = signal.SIGTERM) -> str:
        """Stop it as the house does; what it said."""
        self.process.send_signal(number)
        said, _ = self.process.communicate(timeout=20)
        return said


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Callable[..., Kept]]:
    started: list[Kept] = []

    def start(name: str, command: str, **settings: object) -> Kept:
        started.append(Kept(tmp_path, name, command, **settings))
        return started[-1]

    yield start
    for keeper in started:
        pid = keeper.pid()
        keeper.process.kill()
        keeper.process.wait()
        if pid is not None and is_alive(pid):
            os.kill(pid, signal.SIGKILL)
