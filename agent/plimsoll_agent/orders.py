"""What the server last ordered: the policy file, read again whenever the uplink has replaced it."""

from __future__ import annotations

import os

from .kernel.files import read_all
from .policy import Policy, PolicyError, from_plain


class Orders:
    """`policy` is the last one that could be followed; `known` is False until there was one."""

    __slots__ = ("_path", "_seen", "error", "known", "policy")

    def __init__(self, path: str) -> None:
        self._path = path
        self._seen: tuple[int, int] | None = None
        self.policy = Policy()
        self.known = False
        self.error = ""

    def renewed(self) -> bool:
        """Has the policy changed since the last question? One that cannot be followed changes nothing but `error`."""
        try:
            found = os.stat(self._path)
        except OSError:
            return False
        seen = (found.st_mtime_ns, found.st_ino)
        if seen == self._seen:
            return False
        self._seen = seen
        try:
            self.policy = from_plain(read_all(self._path) or b"")
        except PolicyError as error:
            self.error = str(error)
            return False
        self.error = ""
        self.known = True
        return True
