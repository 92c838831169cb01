"""Does a proxy stand between this machine and the server? What HTTPS_PROXY, HTTP_PROXY and NO_PROXY say.

The variables are read by urllib's own rules, which curl and most programs share.
"""

from __future__ import annotations

import os


class Proxy:
    """`host`, with its port, and the headers by which it knows its user."""

    __slots__ = ("headers", "host")

    def __init__(self, host: str, headers: dict[str, str]) -> None:
        self.host = host
        self.headers = headers


def proxy_for(scheme: str, host: str) -> Proxy | None:
    """The proxy on the way to `host` (with or without a port). None: the way is free. Raises ValueError."""
    if not any(name.lower().endswith("_proxy") for name in os.environ):
        return None
    # Only where it is needed: 2 MB that a minute's child does without elsewhere.
    from urllib.parse import unquote, urlsplit
    from urllib.request import getproxies_environment, proxy_bypass_environment  # type: ignore[attr-defined]

    found = getproxies_environment().get(scheme)
    if not found or proxy_bypass_environment(host):
        return None
    parts = urlsplit(found if "://" in found else f"http://{found}")
    if parts.scheme != "http" or not parts.hostname:
        raise ValueError(f"the proxy {found.rpartition('@')[2]!r} is none that is spoken to by http://")
    headers = {}
    if parts.username is not None:
        from base64 import b64encode

        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Proxy-Authorization"] = "Basic " + b64encode(pair.encode()).decode()
    return Proxy(f"{parts.hostname}:{parts.port or 80}", headers)
