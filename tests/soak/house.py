"""A twin that runs: `make run` as a person starts it, with its line of data watched from outside."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psycopg

from scripts.locks import holder_of
from scripts.services import folder as folders
from scripts.services import running
from tests.soak import twin
from tests.soak.books import Books
from tests.soak.children import end_with_parent
from tests.soak.members import ALL, Members

# Long enough for a machine that has much else to do: what is asked is whether, not how soon.
UP_WITHIN_S = 240.0
RECOVERED_WITHIN_S = 120.0
STOPPED_WITHIN_S = 40.0
LOOK_S = 0.05
# Of the caller: the twin chooses its own.
NOT_INHERITED = (
    *("DATABASE_URL", "REDIS_URL", "BROKER_URL", "SECRET_KEY", "SECRET_KEY_FILE", "BASE_URL", "TEST_DATABASE_NAME"),
    *("FIRST_RUN_FILE", "AGENT_KEY_FILE", "PORT", "PYTHONPATH", "ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS"),
)


class NotInTime(Exception):
    """Something did not happen; the message says what was awaited."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(what: Callable[[], object], seconds: float, name: str, *, look_s: float = LOOK_S) -> float:
    """How long it took. Raises NotInTime."""
    begin = time.monotonic()
    while not what():
        if time.monotonic() - begin > seconds:
            raise NotInTime(f"{name}: not within {seconds:g} s")
        time.sleep(look_s)
    return time.monotonic() - begin


class House:
    """One twin under `make run`."""

    def __init__(self, top: Path) -> None:
        self.top, self.members, self.port = top, Members(top), free_port()
        self.log = top / "var/soak.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._books: Books | None = None

    @property
    def books(self) -> Books:
        """Raises FileNotFoundError before the first run has made its secrets."""
        self._books = self._books or Books(self.top)
        return self._books

    def start(self) -> float:
        """Until the first minute of every disk is judged; how long that took."""
        env = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
        env = {name: value for name, value in env.items() if not name.startswith("PLIMSOLL_")}
        with self.log.open("wb") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "scripts", "run", "--port", str(self.port)],
                cwd=self.top,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=end_with_parent,  # noqa: PLW1509
            )
        return wait_for(self._judged, UP_WITHIN_S, "the first slot")

    def _judged(self) -> bool:
        if self._process is None or self._process.poll() is not None:
            raise NotInTime(f"make run has ended:\n{self.last_lines()}")
        try:
            return self.is_healthy() and self.books.frames_until() > 0 and self.books.is_settled()
        except (OSError, psycopg.Error):
            return False

    def last_lines(self, count: int = 40) -> str:
        """The end of what the house said."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-count:])

    def stop(self) -> None:
        """All of it, whatever state it is in."""
        for name in ALL:  # a stopped keeper would never see that it is no longer wanted
            for pid in (self.members.keeper(name), self.members.pid(name)):
                if pid is not None:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGCONT)
        if self._process is not None:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(STOPPED_WITHIN_S)
        if not running.wait_until_down(folders.find(self.top)) or any(map(self.members.keeper, ALL)):
            self._kill_all()

    def _kill_all(self) -> None:
        for name in ALL:
            for pid in (self.members.keeper(name), self.members.pid(name)):
                if pid is not None:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def is_healthy(self) -> bool:
        try:
            return self.books.get("/healthz", timeout=2)["status"] == "ok"
        except OSError:
            return False

    def part_is_ok(self, part: str) -> bool:
        return self.books.parts().get(part) == "ok"

    def settles(self) -> bool:
        """One mark from beat over Redis and the worker into PostgreSQL: the whole line at work."""
        try:
            mark = self.books.put_mark()
            wait_for(lambda: self.books.is_settled(mark), 4, "a mark")  # beat sends every 2 s
        except (psycopg.Error, NotInTime):
            return False
        return True

    def other_than(self, name: str, old: int) -> bool:
        """Is there a successor of this process?"""
        return self.members.pid(name) not in (None, old)

    def memory(self) -> list[Path]:
        """Where the agent's open seconds may lie."""
        return [place for place in (*twin.memory_of(self.top), self.top / "var/agent/run") if place.is_dir()]

    def measuring_since(self, moment: float) -> int | None:
        """Where the frame begins that is being measured now, if that was after this moment."""
        starts = [int(path.name.split("-", 1)[0]) for place in self.memory() for path in place.glob("*.open")]
        return min((start for start in starts if start > moment), default=None)

    def spooled(self) -> int:
        """Frames that wait for the server."""
        return len(list((self.top / "var/agent/spool").glob("*.frame")))

    def is_delivered(self) -> bool:
        """Does the server have everything that was cut?"""
        return not self.spooled() and not any(True for place in self.memory() for _ in place.glob("*.cut"))

    def refused(self) -> list[str]:
        """Why frames were refused for good: there is no reason to."""
        return [path.read_text() for path in sorted((self.top / "var/agent/rejected").glob("*.reason"))]

    def hold_keeper(self, name: str) -> None:
        """Its process stays away when it goes, until `release_keeper`."""
        keeper = self.members.keeper(name)
        if keeper is None:
            raise ProcessLookupError(f"{name} has no keeper")
        os.kill(keeper, signal.SIGSTOP)

    def release_keeper(self, name: str) -> None:
        if (keeper := holder_of(self.top / "var/pids" / f"{name}.keeper")) is not None:
            os.kill(keeper, signal.SIGCONT)

    def rescore(self, start: int, end: int) -> None:
        """`manage.py score` over all of it: once more changes nothing."""
        words = ["manage.py", "score", "--from", str(start), "--to", str(end)]
        env = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
        python = self.top / ".venv/bin/python"
        done = subprocess.run([python, *words], cwd=self.top, env=env, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NotInTime(f"manage.py score ended with {done.returncode}: {done.stderr[-500:]}")
