"""The operator's mapping as it stands on disk now: read again whenever it was written."""

from __future__ import annotations

import os

from ..kernel.files import read_all
from .mapping import Line, MappingError, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List


class MapFile:
    """`lines` are those of the last file that could be used, `error` says what is wrong with the one there is now."""

    __slots__ = ("_seen", "error", "lines", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        self.lines: List[Line] = []
        self.error = ""
        self._seen: tuple[int, int] | None = None

    def renewed(self) -> bool:
        """Does it say something else than at the last question? A file that cannot be used changes only `error`."""
        if not self.path:
            return False
        try:
            found = os.stat(self.path)
        except OSError as error:
            self.error = f"cannot read the mapping file {self.path}: {error.strerror}"
            return False
        seen = (found.st_mtime_ns, found.st_ino)
        if seen == self._seen:
            return False
        self._seen = seen
        try:
            lines = read((read_all(self.path) or b"").decode("utf-8", "replace"), self.path)
        except MappingError as error:
            self.error = str(error)
            return False
        self.error = ""
        changed = lines != self.lines
        self.lines = lines
        return changed
