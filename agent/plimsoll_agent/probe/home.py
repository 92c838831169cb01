"""Is there an agent on this machine that the server knows? A probe speaks with its token."""

from __future__ import annotations

import os
import sys

from ..kernel.files import read_text
from ..settings import Settings, SettingsError
from ..transport import NetworkError, Server
from . import outbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict


class NoHome(Exception):
    """Why nothing can be told to a server; the message says it."""


class Home:
    """The agent's folder, its token and its server."""

    __slots__ = ("server", "settings", "token", "top")

    def __init__(self, read_settings: Callable[[], Settings]) -> None:
        """Raises NoHome."""
        try:
            self.settings = read_settings()
        except SettingsError as error:
            raise NoHome(str(error)) from error
        self.top = os.path.abspath(self.settings.state_dir)
        self.token = read_text(self.top + "/token") or ""
        if not self.settings.url or not self.token:
            raise NoHome(f"no agent is enrolled here (no {'url' if not self.settings.url else 'token in ' + self.top})")
        try:
            self.server = Server(self.settings.url, self.settings.ca_file, self.settings.timeout_s)
        except NetworkError as error:
            raise NoHome(str(error)) from error

    def page(self, disk: Any) -> str:
        """Where a disk of the server's is looked at."""
        return f"{self.settings.url}/disks/{disk}/#probes"


def tell(home: Home, body: Dict[str, Any]) -> bool:
    """Keep a result, send it, and say what became of it on standard error. False where it waits or was refused."""
    path = outbox.keep(home.top, body)
    try:
        answer = outbox.send(home.server, home.token, body)
    except (NetworkError, outbox.Unavailable) as error:
        say(f"the result waits in {path} for the agent's next upload: {error}")
        return False
    except outbox.Refusal as error:
        os.unlink(path)
        say(f"the result is not taken: {error}")
        return False
    os.unlink(path)
    if "disk" in answer:
        say(f"the result is on {home.page(answer['disk'])}")
    return True


def say(text: str) -> None:
    """For the operator, beside what the command prints."""
    sys.stderr.write(f"plimsoll-agent: {text}\n")
