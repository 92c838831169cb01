"""Ask a running QEMU something: its machine protocol over a socket, one JSON object a line.

https://www.qemu.org/docs/master/interop/qmp-spec.html: a greeting, `qmp_capabilities`, then commands; events may stand
between a command and its answer.
"""

from __future__ import annotations

import errno
import itertools
import json
import socket
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO

# struct ucred, unix(7)
PEER = struct.Struct("3i")
HELD = (
    "another client holds it: QEMU serves one at a time. libvirt never lets go of the sockets it made: use its own "
    "statistics (libvirt=), or give the VM a second socket"
)
# A VM with hundreds of drives and histograms answers with some MB; more is not QEMU.
MOST_BYTES = 64 << 20


class QmpError(RuntimeError):
    """QEMU did not answer, or refused; the message names the socket and what it said."""


class Client:
    """One conversation. Close it: QEMU's monitor talks to one client at a time. `pid`: the process that listens."""

    def __init__(self, path: str, timeout_s: float = 5.0) -> None:
        """Raises QmpError."""
        self.path = path
        self._numbers = itertools.count(1)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout_s)
        self._lines: BinaryIO | None = None
        try:
            self._socket.connect(path)
            # Of whoever listens: another one is another QEMU, whose counters begin anew.
            self.pid = PEER.unpack(self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, PEER.size))[0]
            self._lines = self._socket.makefile("rb")
            if "QMP" not in self._line():
                raise QmpError(f"{path} does not greet as QEMU does")
            self.execute("qmp_capabilities")
        except OSError as error:
            self.close()
            raise QmpError(f"{path}: {_why(error)}") from error
        except QmpError:
            self.close()
            raise

    def execute(self, command: str, **arguments: Any) -> Any:
        """The answer to a command. Raises QmpError. A dash in an argument's name is written as an underscore."""
        number = next(self._numbers)
        request = {
            "execute": command,
            "arguments": {name.replace("_", "-"): value for name, value in arguments.items()},
            "id": number,
        }
        try:
            self._socket.sendall(json.dumps(request).encode() + b"\n")
            while (answer := self._line()).get("id") != number:
                pass  # an event
        except OSError as error:
            raise QmpError(f"{self.path}: no answer to {command}: {error.strerror or error}") from error
        if "error" in answer:
            raise QmpError(f"{self.path}: {command}: {answer['error'].get('desc', answer['error'])}")
        return answer.get("return")

    def close(self) -> None:
        """Let others talk to it."""
        if self._lines is not None:
            self._lines.close()  # it holds the connection open, too
        self._socket.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def _line(self) -> dict[str, Any]:
        raw = self._lines.readline(MOST_BYTES) if self._lines is not None else b""
        if not raw.endswith(b"\n"):
            raise QmpError(f"{self.path}: the conversation was cut off after {len(raw)} bytes")
        try:
            line = json.loads(raw)
        except ValueError as error:
            raise QmpError(f"{self.path} does not speak JSON: {raw[:60]!r}") from error
        if not isinstance(line, dict):
            raise QmpError(f"{self.path} does not speak the machine protocol: {raw[:60]!r}")
        return line


def _why(error: OSError) -> str:
    """What kept the conversation from beginning."""
    if isinstance(error, TimeoutError) or error.errno in (errno.EAGAIN, errno.EBUSY):
        return f"no greeting; {HELD}"
    if error.errno in (errno.EACCES, errno.EPERM):
        return "this user may not connect to it: run the agent as root, or in the group that may"
    if error.errno == errno.ECONNREFUSED:
        return "nobody listens on it: its VM has ended"
    return error.strerror or str(error)
