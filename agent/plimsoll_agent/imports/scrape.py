"""Fetch one page of metrics: HTTP(S), every wait bounded, the connection kept for the next time."""

from __future__ import annotations

import base64
import http.client
import ssl
from urllib.parse import unquote, urlsplit

from .. import __version__

# An exporter with every collector on shows about 2 MB.
LONGEST_PAGE = 16 << 20


class ScrapeError(Exception):
    """No page; the message holds the address and why."""


class Target:
    """One address. A user and a password in it are sent as HTTP's basic authentication, and shown nowhere."""

    def __init__(self, url: str, ca_file: str, timeout_s: float) -> None:
        """Raises ScrapeError for an address that is none."""
        try:
            parts = urlsplit(url)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise ValueError("an address such as http://10.0.0.7:9100/metrics is needed")
            host, port = parts.hostname, parts.port
            self.shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path or '/metrics'}"
            self._path = (parts.path or "/metrics") + (f"?{parts.query}" if parts.query else "")
            if parts.scheme == "https":
                context = ssl.create_default_context(cafile=ca_file or None)
                self._http: http.client.HTTPConnection = http.client.HTTPSConnection(
                    host, port, timeout=timeout_s, context=context
                )
            else:
                self._http = http.client.HTTPConnection(host, port, timeout=timeout_s)
        except (ValueError, OSError) as error:
            raise ScrapeError(f"cannot scrape {url.rpartition('@')[2]}: {error}") from error
        self._headers = {"User-Agent": f"plimsoll-agent/{__version__}", "Accept": "text/plain;version=0.0.4"}
        if parts.username is not None:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            self._headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()

    def fetch(self) -> str:
        """The page's text. A kept connection that the exporter has closed is opened again once. Raises ScrapeError."""
        used = self._http.sock is not None
        try:
            try:
                return self._once()
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                if not used:
                    raise
                self._http.close()
                return self._once()
        except (OSError, http.client.HTTPException) as error:
            self._http.close()
            raise ScrapeError(f"cannot scrape {self.shown}: {error or type(error).__name__}") from error

    def _once(self) -> str:
        self._http.request("GET", self._path, headers=self._headers)
        answer = self._http.getresponse()
        raw = answer.read(LONGEST_PAGE + 1)
        if answer.status != 200:
            self._http.close()
            raise ScrapeError(f"{self.shown} answers with status {answer.status}, not with a page of metrics")
        if len(raw) > LONGEST_PAGE:
            self._http.close()
            raise ScrapeError(f"{self.shown} sends over {LONGEST_PAGE >> 20} MiB: name the exporter's own address")
        return raw.decode("utf-8", "replace")

    def close(self) -> None:
        """Done."""
        self._http.close()
