"""What was found by a test and waits for the server: a file each, sent by the command or by the agent's next upload."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager

from ..kernel.files import list_names, read_all
from ..state import write_atomically

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Dict, List

    from ..transport import Answer, Server

FOLDER = "/probes"
SUFFIX = ".json"
DONE, TOKEN_REFUSED = (200, 201), 401
# The server is not able just now, or wants to be left alone for a while.
LATER = (401, 408, 429, 500, 502, 503, 504)
# More results than this waiting is a server that nobody misses.
MOST_WAITING = 100


class Refusal(Exception):
    """The server takes it never, for the reason it gave."""


class Unavailable(Exception):
    """Not now: the message says why."""


def keep(top: str, body: Dict[str, Any]) -> str:
    """Store it below the agent's state folder. Answers its path."""
    folder = top + FOLDER
    path = f"{folder}/{body.get('id') or body['verdict_of'] + '.verdict'}{SUFFIX}"
    with _as_owner_of(top):
        os.makedirs(folder, 0o700, exist_ok=True)
        write_atomically(path, json.dumps(body).encode() + b"\n", durable=True)
        for spare in waiting(top)[:-MOST_WAITING]:
            os.unlink(spare)
    return path


@contextmanager
def _as_owner_of(top: str) -> Iterator[None]:
    """Root becomes the agent's user for a while: that user must be able to read what is kept, and where it has put a
    link to somewhere else, nothing may be written there that it could not write itself."""
    owner, root, groups = os.stat(top), os.geteuid() == 0, os.getgroups()
    if root:
        os.setgroups([])
        os.setegid(owner.st_gid)
        os.seteuid(owner.st_uid)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
            os.setegid(0)
            os.setgroups(groups)


def waiting(top: str) -> List[str]:
    """Paths of what was not sent yet, oldest first."""
    paths = [f"{top}{FOLDER}/{name}" for name in list_names(top + FOLDER) if name.endswith(SUFFIX)]
    return sorted(paths, key=os.path.getmtime)


def send(server: Server, token: str, body: Dict[str, Any]) -> Dict[str, Any]:
    """One result. The server's answer; Refusal, Unavailable, NetworkError."""
    uid = body.get("verdict_of")
    path = f"/api/v1/probes/{uid}/verdict" if uid else "/api/v1/probes"
    return checked(server, server.ask("POST", path, token, json.dumps(body).encode(), "application/json"))


def checked(server: Server, answer: Answer) -> Dict[str, Any]:
    """The body of a good answer. Refusal, Unavailable."""
    if answer.status in DONE:
        return dict(answer.body)
    said = f"{server.url} answers {answer.reason}"
    raise Unavailable(said) if answer.status in LATER else Refusal(said)


def send_waiting(server: Server, token: str, top: str) -> List[str]:
    """Send all; what is refused for good is put aside under another name. Answers why. Unavailable, NetworkError."""
    said = []
    for path in waiting(top):
        try:
            send(server, token, read(path))
        except (Refusal, ValueError) as error:
            os.rename(path, path[: -len(SUFFIX)] + ".refused")
            said.append(f"a probe's result is not taken: {error}")
        else:
            os.unlink(path)
    return said


def read(path: str) -> Dict[str, Any]:
    """A stored result. ValueError where it is none."""
    body = json.loads(read_all(path) or b"")
    if not isinstance(body, dict) or not (body.get("id") or body.get("verdict_of")):
        raise ValueError(f"{path} is no result of a probe")
    return body
