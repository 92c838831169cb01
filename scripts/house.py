"""python -m scripts.house: the processes of the Procfile side by side, their lines prefixed, until Ctrl-C.

`make run` becomes this program once everything is set up; it inherits the locks, which end with it.
"""

import datetime
import json
import os
import select
import shlex
import signal
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

from honcho import manager as honcho
from honcho.printer import Message

from scripts import paths
from scripts.locks import holder_of
from scripts.procfile import read_house
from scripts.progress import say
from scripts.run import LEASE_FD, NEW_HERE
from scripts.services import folder as folders
from scripts.services import running

honcho.KILL_WAIT = 18  # s: the keepers stop in turn, and each has its own limit before


class House(honcho.Manager):
    """The processes, plus lines of our own and of the services."""

    def tell(self, name: str, text: str) -> None:
        self.events.put(Message("line", text + "\n", datetime.datetime.now(), name, None))  # noqa: DTZ005  the wall's

    def background(self, task: Callable[..., None], *arguments: object) -> None:
        threading.Thread(target=task, args=arguments, daemon=True).start()

    def follow(self, name: str, log: Path) -> None:
        """Pass on what is appended to a service's log from now on."""
        with log.open(errors="replace") as lines:
            lines.seek(0, os.SEEK_END)
            while True:
                line = lines.readline()
                if line:
                    self.tell(name, line.rstrip("\n"))
                else:
                    time.sleep(0.3)

    def revive(self, folder: folders.Folder) -> None:
        while True:
            time.sleep(1)
            running.revive_keepers(folder)

    def announce(self, port: str, show_password: bool) -> None:
        """Once the web answers: where to look."""
        while not is_healthy(port):
            time.sleep(0.2)
        first = json.loads(paths.FIRST_RUN.read_text())
        shown = first["password"] if show_password else f"in {paths.FIRST_RUN.relative_to(paths.ROOT)}"
        self.tell(
            "plimsoll", f"Plimsoll is up: {first['url']} · user {first['user']} · password {shown} · Ctrl-C stops it"
        )


def is_healthy(port: str) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False


def be_silent() -> None:
    """The terminal is gone: what is said from now on goes nowhere, and saying it must not fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)


def hang_up(*_: object) -> None:
    be_silent()
    os.kill(os.getpid(), signal.SIGTERM)


def watch_terminal() -> None:
    """Hang up when the terminal does: make, where it leads the session, keeps the signal to itself."""
    terminal = select.poll()
    terminal.register(sys.stdout.fileno(), 0)  # 0: nothing but the hang-up
    terminal.poll()
    hang_up()


def stop_without_words(names: list[str]) -> None:
    """Stop the keepers one by one, where the manager cannot: nobody reads its output any more."""
    be_silent()
    locks = [paths.PIDS / f"{name}.keeper" for name in names]
    for keeper in filter(None, map(holder_of, locks)):
        os.kill(keeper, signal.SIGTERM)
    while any(holder_of(lock) is not None for lock in locks):
        time.sleep(0.1)
    os._exit(1)


def stop_services(folder: folders.Folder, lease: int) -> None:
    os.close(lease)
    if running.wait_until_down(folder):
        say("PostgreSQL and Redis are stopped; nothing of this checkout runs any more")
    else:
        say("PostgreSQL and Redis run on: another make of this checkout uses them")


def main() -> int:
    house, names = House(), list(read_house(paths.ROOT))
    # Meant for this process: the members of the house do not inherit them.
    lease, is_new = os.environ.pop(LEASE_FD, ""), os.environ.pop(NEW_HERE, "")
    for name in names:
        house.add_process(name, f"exec {shlex.quote(sys.executable)} -m scripts.member {name}", cwd=str(paths.ROOT))
    signal.signal(signal.SIGHUP, hang_up)
    if sys.stdout.isatty():
        house.background(watch_terminal)
    house.background(house.announce, os.environ["PORT"], bool(is_new))
    folder = folders.find() if lease else None
    if folder is not None:
        for name in running.NAMES:
            house.background(house.follow, name, paths.LOGS / f"{name}.log")
        house.background(house.revive, folder)
    try:
        house.loop()
    except OSError:
        stop_without_words(names)
    if folder is not None:
        stop_services(folder, int(lease))
    # Ctrl-C is how one leaves: no error for make to complain of.
    return 0 if house.returncode in {130, 143} else 1


if __name__ == "__main__":
    sys.exit(main())
