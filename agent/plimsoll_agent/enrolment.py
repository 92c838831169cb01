"""How does a machine get its token: by the enrolment key, and again by its own token when its disks change."""

from __future__ import annotations

import json

from . import policy
from .kernel.files import read_all, read_text
from .settings import Settings
from .state import State, write_atomically

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Mapping

    from .transport import Server


class EnrolmentError(Exception):
    """The server does not let this machine in; the message holds its words and what to do."""


class Enrolment:
    """Token and what the server knows of this machine. `done` is True once this process has enrolled."""

    __slots__ = ("_settings", "_state", "done", "token")

    def __init__(self, state: State, settings: Settings) -> None:
        self._state = state
        self._settings = settings
        self.token = read_text(state.token) or ""
        self.done = False

    def outdated(self) -> bool:
        """Has the machine changed since the server was told?"""
        from . import inventory  # reads all of /sys/block, and hashes: not for each minute's child

        body = inventory.enrolment(self._state, self._settings)
        return body is not None and read_text(self._state.enrolled) != inventory.fingerprint(self._settings, body)

    def enrol(self, server: Server, *, by_key_only: bool = False) -> None:
        """Send the inventory, keep the token and the policy. Raises EnrolmentError, NetworkError.

        `by_key_only`: the token was just refused, so it cannot vouch for itself.
        """
        key = self._settings.enrolment_key()
        secret = key or ("" if by_key_only else self.token)
        if not secret:
            raise EnrolmentError("no token and no enrolment key: set key or key_file")
        from . import inventory  # as above

        body = inventory.enrolment(self._state, self._settings)
        if body is None:
            raise EnrolmentError(f"nothing is known yet of {self._settings.from_node_exporter.rpartition('@')[2]}")
        answer = server.ask("POST", "/api/v1/enrol", secret, json.dumps(body).encode(), "application/json")
        if answer.status in (401, 403) and key and self.token and not by_key_only:
            # The key may have run out since; the machine's own token is good as long as it is known.
            answer = server.ask("POST", "/api/v1/enrol", self.token, json.dumps(body).encode(), "application/json")
        token = answer.body.get("agent_token")
        if answer.status not in (200, 201) or not isinstance(token, str):
            raise EnrolmentError(f"enrolling at {server.url} was refused, {answer.reason}")
        write_atomically(self._state.token, token.encode() + b"\n", durable=True)
        self.token = token
        self.done = True
        print_of = inventory.fingerprint(self._settings, body)
        write_atomically(self._state.enrolled, print_of.encode() + b"\n")
        keep_policy(self._state, answer.body.get("policy"))


def keep_policy(state: State, sent: Mapping[str, Any] | None) -> str | None:
    """Store the policy for the sampler if it is another one. Answers what is wrong with it, or None."""
    if not sent:
        return None
    try:
        plain = policy.to_plain(policy.from_json(sent))
    except policy.PolicyError as error:
        return str(error)
    if read_all(state.policy) != plain:
        write_atomically(state.policy, plain)
    return None
