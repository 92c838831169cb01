"""How does the spool reach the server: newest first so that the pages are live, then from the oldest on."""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Sequence

from . import __version__, msgpack, spool
from .core.layout import LayoutError
from .enrolment import keep_policy
from .kernel import identity
from .settings import Settings
from .spool import Entry
from .state import State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .transport import Answer, Server

# About 90 KB packed, 1 MB as JSON: well under the server's 4 MiB, and a second's work for it after a long absence.
BATCH = 100
# What the live pages wait for goes ahead of a backlog.
NEWEST_S = 180
GZIP = 31  # zlib's window bits for a gzip wrapper
UNAUTHORISED, TOO_LARGE, UNSUPPORTED = 401, 413, 415
WAIT_ASKED = (429, 503)


class Tally:
    """What became of the frames. `trouble`: why not all were answered for; `remark`: a policy that makes no sense."""

    __slots__ = (
        "accepted",
        "duplicates",
        "rejected",
        "remark",
        "retry_after_s",
        "room",
        "told",
        "trouble",
        "unauthorised",
        "unknown",
        "words",
    )

    def __init__(self, room: int, words: dict[str, Any]) -> None:
        """`room`: bytes that may still be sent; `words`: what the agent says of itself, `told` once it was heard."""
        self.room = room
        self.words = words
        self.told = False
        self.accepted = 0
        self.duplicates = 0
        self.rejected = 0
        self.remark: str | None = None
        self.retry_after_s = 0
        self.trouble: str | None = None
        self.unauthorised = False
        self.unknown = 0


class Delivery:
    """Sends batches over one connection. Raises NetworkError out of `run`; what was not answered for stays."""

    def __init__(
        self, server: Server, state: State, settings: Settings, tally: Tally, token: str, *, enrolled: bool
    ) -> None:
        """`tally.words` goes with the first request, and `tally.room` bytes with all of them."""
        self._server = server
        self._state = state
        self._settings = settings
        self._token = token
        self._enrolled = enrolled
        self._packed = settings.format == "packed"
        self._batch = BATCH
        self.tally = tally
        tally.unauthorised = False
        tally.unknown = 0
        tally.trouble = None

    def run(self, entries: Sequence[Entry], until: float) -> None:
        """Offer `entries` (oldest first) until the monotonic moment `until`."""
        waiting = list(entries)
        newest = [entry for entry in waiting if entry.start > time.time() - NEWEST_S][-BATCH:]
        older = waiting[: len(waiting) - len(newest)]
        for left in (newest, older):
            while left and time.monotonic() < until and self.tally.trouble is None and self.tally.room > 0:
                left[:] = self._offer(left)
        if not waiting and self._settings.has_guests:
            self._greet()

    def _greet(self) -> None:
        """Nothing to send, but a hypervisor must hear whose disks are on it before it has something."""
        answer = self._ask([])
        if answer.status == 200:
            self._settle([], answer)
            return
        self.tally.unauthorised = answer.status == UNAUTHORISED
        self.tally.trouble = f"{self._server.url} answers {answer.reason}"

    def _offer(self, queue: list[Entry]) -> list[Entry]:
        """One request. Answers what is still to be offered."""
        batch = queue[: self._batch]
        loaded = []
        for entry in batch:
            packed = spool.load(entry)
            if packed is None:
                self._reject(entry, "damaged: not as long as it was written")
            else:
                loaded.append((entry, packed))
        rest = queue[len(batch) :]
        if not loaded:
            return rest
        answer = self._ask([packed for _, packed in loaded])
        entries = [entry for entry, _ in loaded]
        if answer.status == 200:
            self._settle(entries, answer)
            return rest
        return self._refused(entries, answer, rest)

    def _settle(self, entries: list[Entry], answer: Answer) -> None:
        """200: each frame is stored, known already, or refused for good with a reason."""
        reasons: dict[int, tuple[str, str]] = {}
        for item in answer.body.get("rejected") or ():
            reasons[item.get("index", -1)] = (str(item.get("code")), f"{item.get('code')}: {item.get('message')}")
        for index, entry in enumerate(entries):
            code, reason = reasons.get(index, ("", ""))
            if not code:
                spool.drop(entry)
            elif code == "unknown_disk" and not self._enrolled:
                self.tally.unknown += 1  # kept: it goes again once the machine has enrolled anew
            else:
                self._reject(entry, reason)
        self.tally.told = True
        self.tally.accepted += int(answer.body.get("accepted") or 0)
        self.tally.duplicates += int(answer.body.get("duplicates") or 0)
        self.tally.remark = keep_policy(self._state, answer.body.get("policy"))

    def _refused(self, entries: list[Entry], answer: Answer, rest: list[Entry]) -> list[Entry]:
        """The whole request was refused: halve it until the frame that it is about stands alone."""
        if answer.status == UNSUPPORTED and self._packed:
            self._packed = False
        elif answer.status in (400, TOO_LARGE) and len(entries) > 1:
            self._batch = max(1, len(entries) // 2)
        elif answer.status in (400, TOO_LARGE, 422):
            self._reject(entries[0], answer.reason)
            return entries[1:] + rest
        else:
            self.tally.unauthorised = answer.status == UNAUTHORISED
            if answer.status in WAIT_ASKED:
                asked = answer.retry_after or ""
                self.tally.retry_after_s = int(asked) if asked.isdigit() else 0
            self.tally.trouble = f"{self._server.url} answers {answer.reason}"
        return entries + rest

    def _reject(self, entry: Entry, reason: str) -> None:
        self.tally.rejected += 1
        spool.reject(self._state.rejected, entry, reason)

    def _ask(self, packed: list[bytes]) -> Answer:
        agent: dict[str, Any] = {
            "version": __version__,
            "boot_id": _boot_id(self._state, self._settings),
            "sent_at": round(time.time(), 3),
            **({} if self.tally.told else self.tally.words),
        }
        if self._packed:
            body = b"\x82" + msgpack.pack("agent") + msgpack.pack(agent) + msgpack.pack("frames")
            body += msgpack.array_head(len(packed)) + b"".join(packed)
            kind = "application/msgpack"
        else:
            frames = [self._written_out(one) for one in packed]
            body = json.dumps({"agent": agent, "frames": frames}, separators=(",", ":")).encode()
            kind = "application/json"
        squeezed = _gzip(body, 1 if self._packed else 6)
        self.tally.room -= len(squeezed)
        return self._server.ask("POST", "/api/v1/frames", self._token, squeezed, kind, "gzip")

    def _written_out(self, packed: bytes) -> Any:
        """A frame that cannot be read any more is sent as an empty one: the server then names it among the rejected."""
        try:
            return spool.as_json_form(packed)
        except (msgpack.MsgpackError, LayoutError):
            return {}


def _boot_id(state: State, settings: Settings) -> str:
    """Of the machine whose counters these are."""
    if not settings.from_node_exporter:
        return identity.boot_id(settings.proc)
    from .imports import machine  # as in inventory.py

    body = machine.kept(state)
    return str(body["boot_id"]) if body else ""


def _gzip(data: bytes, level: int) -> bytes:
    stream = zlib.compressobj(level, zlib.DEFLATED, GZIP)
    return stream.compress(data) + stream.flush()
