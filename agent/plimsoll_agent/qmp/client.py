"""Ask a running QEMU something: its machine protocol over a socket, one JSON object a line.

https://www.qemu.org/docs/master/interop/qmp-spec.html: a greeting, `qmp_capabilities`, then commands; events may stand
between a command and its answer.
"""

from __future__ import annotations

import itertools
import json
import socket

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO

# A VM with hundreds of drives and histograms answers with some MB; more is not QEMU.
MOST_BYTES = 64 << 20


class QmpError(RuntimeError):
    """QEMU did not answer, or refused; the message names the socket and what it said."""


class Client:
    """One conversation. Close it: QEMU's monitor talks to one client at a time."""

    def __init__(self, path: str, timeout_s: float = 5.0) -> None:
        """Raises QmpError."""
        self.path = path
        self._numbers = itertools.count(1)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout_s)
        self._lines: BinaryIO | None = None
        try:
            self._socket.connect(path)
            self._lines = self._socket.makefile("rb")
            if "QMP" not in self._line():
                raise QmpError(f"{path} does not greet as QEMU does")
            self.execute("qmp_capabilities")
        except OSError as error:
            self.close()
            raise QmpError(f"{path}: {error.strerror or error} (is another client connected to it?)") from error
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
