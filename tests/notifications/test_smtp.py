"""The way to the mail server: STARTTLS with a certificate that is checked, a login, and what is wrong said in words."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sla.notifications.smtp import Line
from sla.notifications.trouble import ServerAway
from tests.notifications import certificate
from tests.notifications.sink import Server, Sink

MAIL = b"Subject: x\r\n\r\nx\r\n"


@pytest.fixture
def secure(settings: Any, tmp_path: Path) -> Iterator[Sink]:
    """A server that wants STARTTLS and a password."""
    file, context = certificate.make(tmp_path)
    sink = Sink()
    server = Server(sink, tls=context, user=("plimsoll", "a secret"))
    server.start()
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", server.port, 3
    settings.EMAIL_USE_TLS, settings.EMAIL_USE_SSL, settings.EMAIL_CA_FILE = True, False, str(file)
    settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "plimsoll", "a secret"
    yield sink
    server.stop()


def send() -> None:
    with Line() as line:
        line.send("plimsoll@example.com", "noc@example.com", MAIL)


def test_mail_goes_out_over_starttls_after_a_login(secure: Sink) -> None:
    send()
    assert [mail.to for mail in secure.mails] == ["noc@example.com"]


def test_a_certificate_that_nobody_vouches_for_gets_no_password(secure: Sink, settings: Any) -> None:
    settings.EMAIL_CA_FILE = ""
    with pytest.raises(ServerAway, match="CERTIFICATE_VERIFY_FAILED"):
        send()
    assert secure.mails == []


def test_a_wrong_password_is_trouble_of_the_server_and_not_of_the_mail(secure: Sink, settings: Any) -> None:
    settings.EMAIL_HOST_PASSWORD = "another"
    with pytest.raises(ServerAway, match="535"):
        send()


def test_a_server_that_wants_starttls_gets_nothing_without(secure: Sink, settings: Any) -> None:
    settings.EMAIL_USE_TLS, settings.EMAIL_HOST_USER = False, ""
    with pytest.raises(ServerAway, match=r"STARTTLS|530"):
        send()
    assert secure.mails == []


def test_mail_goes_out_over_tls_from_the_first_byte(settings: Any, tmp_path: Path) -> None:
    file, context = certificate.make(tmp_path)
    sink = Sink()
    server = Server(sink, tls=context, from_first_byte=True)
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", server.port, 3
    settings.EMAIL_USE_TLS, settings.EMAIL_USE_SSL, settings.EMAIL_CA_FILE = False, True, str(file)
    settings.EMAIL_HOST_USER = ""
    server.start()
    try:
        send()
    finally:
        server.stop()
    assert len(sink.mails) == 1
