"""The processes of a twin: found through the keepers' locks and pid files, never by a name."""

import os
import signal
from contextlib import suppress
from pathlib import Path

from scripts.locks import holder_of
from scripts.services import folder as folders
from scripts.services import running

HOUSE = ("web", "worker", "beat", "agent")
SERVICES = running.NAMES
ALL = (*HOUSE, *SERVICES)


def stat_of(pid: int) -> tuple[str, int] | None:
    """State letter and parent; None once it is gone."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return words[0], int(words[1])


def children_of(pid: int) -> list[int]:
    """Those that are alive."""
    found = []
    for each in (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()):
        stat = stat_of(each)
        if stat is not None and stat[1] == pid and stat[0] != "Z":
            found.append(each)
    return found


def descendants_of(pid: int) -> list[int]:
    """Children first, then theirs."""
    found = children_of(pid)
    for child in found:
        found += children_of(child)
    return found


class Members:
    """The members of one twin."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.services = folders.find(top).top

    def _folder(self, name: str) -> Path:
        return self.services if name in SERVICES else self.top / "var/pids"

    def keeper(self, name: str) -> int | None:
        """The process that keeps the member."""
        return holder_of(self._folder(name) / f"{name}.keeper")

    def pid(self, name: str) -> int | None:
        """The member's process; None while there is none. Only a child of its keeper is ours to touch."""
        try:
            pid = int((self._folder(name) / f"{name}.pid").read_text())
        except (FileNotFoundError, ValueError):
            return None
        stat = stat_of(pid)
        return pid if stat is not None and stat[0] != "Z" and stat[1] == self.keeper(name) else None

    def uplink(self) -> int | None:
        """The agent's short-lived child, if one is at work."""
        sampler = self.pid("agent")
        if sampler is None:
            return None
        with suppress(FileNotFoundError, ProcessLookupError):
            words = Path(f"/proc/{sampler}/task/{sampler}/children").read_text().split()
            return int(words[0]) if words else None
        return None

    def kill(self, name: str) -> int:
        """kill -9 of the member's process; its id."""
        pid = self.pid(name)
        if pid is None:
            raise ProcessLookupError(f"{name} does not run")
        os.kill(pid, signal.SIGKILL)
        return pid

    def signal_all(self, name: str, number: signal.Signals) -> None:
        """The member and all it has started."""
        pid = self.pid(name)
        if pid is None:
            raise ProcessLookupError(f"{name} does not run")
        for each in (pid, *descendants_of(pid)):
            with suppress(ProcessLookupError):
                os.kill(each, number)
