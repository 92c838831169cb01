"""The server holds the record of a durability test: told in the background which blocks have been fsynced.

The writer never waits for the network; what was told before the power went is on the server, and only blocks whose
fsync had returned were told.
"""

from __future__ import annotations

import json
import threading
import time
from urllib.parse import urlencode

from ..transport import NetworkError
from .outbox import Refusal, Unavailable, checked, send

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict

    from .home import Home

# At most ten requests a second, each for all blocks since the last.
EVERY_S = 0.1
# After a failure; the writer goes on meanwhile.
AGAIN_S = 2.0
# How long the end waits for a server that is away.
LAST_S = 30.0


class Witness(threading.Thread):
    """`begin` before the first block, `tell` after each fsync, `end` at the end; `trouble` says why it lags."""

    def __init__(self, home: Home, body: Dict[str, Any]) -> None:
        super().__init__(daemon=True)
        self.home = home
        self.body = body
        self.fsynced = 0
        self.told = 0
        self.trouble = ""
        self.refused = False
        self._over = threading.Event()

    def begin(self, run: str) -> None:
        """The server knows of the test before a block is written. Refusal, Unavailable, NetworkError."""
        send(self.home.server, self.home.token, {**self.body, "run": run})
        self.start()

    def tell(self, number: int) -> None:
        """This block has been fsynced."""
        self.fsynced = number + 1

    def run(self) -> None:
        while not self._over.wait(AGAIN_S if self.trouble else EVERY_S) and not self.refused:
            if self.fsynced > self.told:
                self._pass_on(ended=False)

    def end(self) -> bool:
        """Tell the rest. False where the server does not know all blocks."""
        self._over.set()
        self.join()
        until = time.monotonic() + LAST_S
        while not self._pass_on(ended=True) and not self.refused and time.monotonic() < until:
            time.sleep(AGAIN_S)
        return self.told == self.fsynced and not self.trouble

    def _pass_on(self, *, ended: bool) -> bool:
        upto = self.fsynced
        body = json.dumps({"first": self.told, "count": upto - self.told, "ended": ended}).encode()
        server = self.home.server
        try:
            path = f"/api/v1/probes/{self.body['id']}/acks"
            checked(server, server.ask("POST", path, self.home.token, body, "application/json"))
        except (NetworkError, Unavailable, Refusal) as error:
            self.trouble = str(error)
            self.refused = isinstance(error, Refusal)
            return False
        self.told, self.trouble = upto, ""
        return True


def witnessed(home: Home, target: str, uid: str = "") -> Dict[str, Any]:
    """What the server holds of the newest test of a target, or of the one `uid`. Refusal, Unavailable, NetworkError."""
    query = urlencode({"uid": uid} if uid else {"target": target})
    return checked(home.server, home.server.ask("GET", f"/api/v1/probes/witnessed?{query}", home.token))
