"""One request to the server and what it said: HTTP(S) with the certificate checked, every wait bounded."""

from __future__ import annotations

import http.client
import json
import ssl

from . import __version__
from .proxy import proxy_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# An answer holds a policy and at most a thousand short reasons.
LONGEST_ANSWER = 4 << 20


class NetworkError(Exception):
    """The server was not reached or did not answer like one; the message says where and why."""


class Answer:
    """Status, parsed JSON body ({} where it is none), and the headers that matter."""

    __slots__ = ("body", "date", "retry_after", "status")

    def __init__(self, status: int, body: Any, retry_after: str | None, date: str | None) -> None:
        self.status = status
        self.body = body if isinstance(body, dict) else {}
        self.retry_after = retry_after
        self.date = date

    @property
    def reason(self) -> str:
        """The server's own words, for people."""
        error = self.body.get("error")
        message = error.get("message") if isinstance(error, dict) else None
        return f"{self.status}: {message}" if message else f"status {self.status}"


class Server:
    """A connection that is kept for all requests of one child."""

    def __init__(self, url: str, ca_file: str, timeout_s: float) -> None:
        """Raises NetworkError for an address that is none, or an unreadable ca_file."""
        scheme, _, rest = url.partition("://")
        host, slash, path = rest.partition("/")
        self.url = url
        self._extra: dict[str, str] = {}
        self._path = slash + path
        try:
            proxy = proxy_for(scheme, host)
            first = host if proxy is None else proxy.host
            if scheme == "https":
                context = ssl.create_default_context(cafile=ca_file or None)
                self._http: http.client.HTTPConnection = http.client.HTTPSConnection(
                    first, timeout=timeout_s, context=context
                )
                if proxy is not None:
                    self._http.set_tunnel(host, headers=proxy.headers)
            else:
                self._http = http.client.HTTPConnection(first, timeout=timeout_s)
                if proxy is not None:
                    self._path = f"http://{host}{slash}{path}"
                    self._extra = proxy.headers
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise NetworkError(f"{url}: {error}") from error

    def ask(self, method: str, path: str, token: str, body: bytes = b"", kind: str = "", encoding: str = "") -> Answer:
        """One request; a kept connection that the server has closed is opened again once. Raises NetworkError."""
        headers = {"User-Agent": f"plimsoll-agent/{__version__}", "Accept": "application/json", **self._extra}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if kind:
            headers["Content-Type"] = kind
        if encoding:
            headers["Content-Encoding"] = encoding
        used = self._http.sock is not None
        try:
            try:
                return self._once(method, path, body, headers)
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                if not used:
                    raise
                self._http.close()
                return self._once(method, path, body, headers)
        except (OSError, http.client.HTTPException) as error:
            self._http.close()
            raise NetworkError(f"{self.url}{path}: {error or type(error).__name__}") from error

    def _once(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> Answer:
        self._http.request(method, self._path + path, body or None, headers)
        response = self._http.getresponse()
        raw = response.read(LONGEST_ANSWER)
        try:
            parsed = json.loads(raw) if raw else {}
        except ValueError:
            parsed = {}
        return Answer(response.status, parsed, response.getheader("Retry-After"), response.getheader("Date"))

    def close(self) -> None:
        """Done."""
        self._http.close()
