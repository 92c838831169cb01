"""A real SMTP server on loopback that takes mail, and does whatever else mail servers do on a bad day."""

import asyncio
import email
import logging
import os
import signal
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import default
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

logging.getLogger("mail.log").setLevel(logging.WARNING)  # aiosmtpd tells every line of every dialogue


@dataclass(frozen=True, slots=True)
class Mail:
    """One message it said 250 to."""

    to: str
    message: EmailMessage
    raw: bytes
    at: float

    @property
    def message_id(self) -> str:
        return str(self.message["Message-ID"])


@dataclass
class Sink:
    """`at_rcpt` and `at_data` may say something else than 250; `hang_s`: how long each answer to DATA takes."""

    mails: list[Mail] = field(default_factory=list)
    at_rcpt: Callable[[str], str | None] = lambda address: None
    at_data: Callable[[EmailMessage], str | None] = lambda message: None
    after_data: Callable[[EmailMessage], None] = lambda message: None
    hang_s: float = 0.0
    tried: int = 0

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.tried += 1
        if said := self.at_rcpt(address):
            return said
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        if self.hang_s:
            await asyncio.sleep(self.hang_s)
        raw = bytes(envelope.content or b"")
        message = email.message_from_bytes(raw, policy=default)
        if said := self.at_data(message):
            return said
        self.mails += [Mail(to, message, raw, time.time()) for to in envelope.rcpt_tos]
        self.after_data(message)
        return "250 OK"

    @property
    def ids(self) -> list[str]:
        return [mail.message_id for mail in self.mails]


class Server:
    """A sink that listens; `stop` and `start` again on the same port."""

    def __init__(
        self,
        sink: Sink,
        *,
        tls: ssl.SSLContext | None = None,
        from_first_byte: bool = False,
        user: tuple[str, str] | None = None,
    ) -> None:
        self.sink, self.tls, self.from_first_byte, self.user = sink, tls, from_first_byte, user
        self.port = free_port()
        self._controller: Controller | None = None

    def start(self) -> None:
        more: dict[str, Any] = {}
        if self.tls and self.from_first_byte:
            more |= {"ssl_context": self.tls}
        elif self.tls:
            more |= {"tls_context": self.tls, "require_starttls": True}
        if self.user:
            more |= {"authenticator": self._check, "auth_required": True}
        self._controller = Controller(self.sink, hostname="127.0.0.1", port=self.port, **more)
        self._controller.start()

    def _check(self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any) -> AuthResult:
        given = isinstance(data, LoginPassword) and (data.login.decode(), data.password.decode())
        return AuthResult(success=given == self.user, handled=False)

    def stop(self) -> None:
        if self._controller is not None:
            self._controller.stop()
            self._controller = None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def kill(pid: int) -> None:
    """As a power cut would."""
    os.kill(pid, signal.SIGKILL)
