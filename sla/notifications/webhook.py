"""How does a notice get to somebody's own program? Signed, by one POST, to an address that was checked.

The receiver computes HMAC-SHA256 with the shared secret over `timestamp + "." + body` and compares it with
`Plimsoll-Signature: v1=…`; it refuses a timestamp older than five minutes, and a `Plimsoll-Delivery` that it has seen.
"""

import hashlib
import hmac
import http.client
import secrets
import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

from sla.notifications.outside import checked_address
from sla.notifications.smtp import tls
from sla.notifications.trouble import NotNow, Refused

# A receiver has this long for all of it; what it wants to do for longer, it does later.
TIMEOUT_S = 8.0
# Of the answer only its first line counts; this much is read so that a receiver sees its connection end well.
ANSWER_BYTES = 4096
URL_MAX = 1000


@dataclass(frozen=True, slots=True)
class Target:
    """Where to, and what it is signed with."""

    url: str
    secret: str


def signature(secret: str, timestamp: int, body: bytes) -> str:
    digest = hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256)
    return f"v1={digest.hexdigest()}"


def new_secret() -> str:
    return secrets.token_urlsafe(32)


def refused_because(url: str) -> str | None:
    """What is wrong with a URL that somebody typed, or None."""
    parts = urlsplit(url)
    if len(url) > URL_MAX or not url.isprintable() or " " in url:
        return "it is too long, or has characters that no URL has"
    if parts.scheme not in ("https", "http") or not parts.hostname:
        return "it must begin with https:// and a host"
    if parts.username or parts.password:
        return "name and password do not belong into it: deliveries are signed"
    if parts.scheme == "http" and not settings.WEBHOOK_NETWORKS:
        return "it must begin with https://"
    try:
        _ = parts.port
    except ValueError:
        return "its port is no port"
    return None


def post(target: Target, body: bytes, delivery: str) -> None:
    """Returns when the receiver has said 2xx. Raises NotNow or Refused. No redirect is followed, no proxy asked."""
    if why := refused_because(target.url):
        raise Refused(f"the address cannot be used: {why}")
    parts = urlsplit(target.url)
    secure = parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    family, address = checked_address(parts.hostname or "", port, settings.WEBHOOK_NETWORKS)
    line = http.client.HTTPConnection(parts.hostname or "", port, timeout=TIMEOUT_S)
    watch = None
    try:
        line.sock = sock = socket.socket(family, socket.SOCK_STREAM)
        sock.settimeout(TIMEOUT_S)
        watch = threading.Timer(TIMEOUT_S, _hang_up, [sock])  # one byte a second resets a socket's own time limit
        watch.daemon = True
        watch.start()
        sock.connect((address, port))
        if secure:
            line.sock = tls().wrap_socket(sock, server_hostname=parts.hostname)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        line.request("POST", path, body, headers(target.secret, body, delivery))
        answer = line.getresponse()
        answer.read(ANSWER_BYTES)
    except (OSError, http.client.HTTPException) as error:
        raise NotNow(" ".join(f"{type(error).__name__}: {error}".split())) from error
    finally:
        if watch is not None:
            watch.cancel()
        line.close()
    if answer.status == http.client.GONE:
        raise Refused("410: the receiver wants no more of these")
    if not 200 <= answer.status < 300:
        raise NotNow(f"{answer.status} {answer.reason}")


def headers(secret: str, body: bytes, delivery: str) -> dict[str, str]:
    """The time is of this try, the delivery's name the same at every try."""
    now = int(time.time())
    return {
        "Content-Type": "application/json",
        "User-Agent": "Plimsoll",
        "Plimsoll-Timestamp": str(now),
        "Plimsoll-Delivery": delivery,
        "Plimsoll-Signature": signature(secret, now, body),
    }


def _hang_up(sock: socket.socket) -> None:
    """Ends whatever waits on it."""
    with suppress(OSError):  # it may have ended already
        sock.shutdown(socket.SHUT_RDWR)
