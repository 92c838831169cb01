"""How does the uplink get on: what the doctor is told, and the sampler where it must be patient."""

from __future__ import annotations

import time

from .state import UPLINK, State, notes, pairs_to_bytes, write_atomically

LEFT = ("spool_frames", "spool_bytes")
WELL_AGAIN = "the server has answered again"


class Report:
    """`trouble`: frames could not be stored or sent; it must be tried again. `remarks`: what else is worth knowing.
    `before`: the last one's trouble; `left`: what it left in the spool, None where there was none."""

    __slots__ = ("_before", "_path", "before", "left", "pairs", "remarks", "trouble")

    def __init__(self, state: State) -> None:
        self._path = f"{state.run}/{UPLINK}"
        self.pairs: dict[str, object] = dict(notes(state, UPLINK))
        self._before = str(self.pairs.get("trouble", "")), str(self.pairs.get("remarks", ""))
        self.trouble: str | None = None
        self.before = self._before[0]
        self.left = {name: self.pairs.get(name) for name in LEFT}
        self.remarks: list[str] = []

    def add(self, name: str, count: int) -> None:
        """Raise a total: they go on from child to child."""
        self.pairs[name] = int(str(self.pairs.get(name, 0))) + count

    def hold(self, frames: int, size: int) -> None:
        """What waits in the spool."""
        self.pairs["spool_frames"] = frames
        self.pairs["spool_bytes"] = size

    def write(self, *, asked_server: bool) -> list[str]:
        """Store it, and answer the lines for the log: only what was not said last time.

        A child that did not ask the server leaves what is known of it.
        """
        trouble, remarks = _one_line(self.trouble or ""), _one_line("; ".join(self.remarks))
        if not asked_server and not trouble:
            trouble = self._before[0]
        if asked_server and not trouble:
            self.pairs["ok_at"] = int(time.time())
        self.pairs["at"] = int(time.time())
        self.pairs["trouble"] = trouble
        self.pairs["remarks"] = remarks
        write_atomically(self._path, pairs_to_bytes(self.pairs))
        news = []
        if trouble != self._before[0]:
            news.append(trouble or WELL_AGAIN)
        if remarks and remarks != self._before[1]:
            news.append(remarks)
        return news


def _one_line(text: str) -> str:
    return text.replace("\n", " ")
