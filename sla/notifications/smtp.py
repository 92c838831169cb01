"""How does a mail get to the mail server? One connection for a batch; every answer within a time."""

import smtplib
import ssl
from types import TracebackType
from typing import Self

from django.conf import settings

from sla.notifications.trouble import NotNow, Refused, ServerAway
from sla.notifications.writing import mail_domain


class Line:
    """A connection to the mail server, made when the first mail goes out."""

    def __init__(self) -> None:
        self._smtp: smtplib.SMTP | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def send(self, sender: str, to: str, mail: bytes) -> None:
        """Returns when the server has taken the mail over. Raises Trouble."""
        smtp = self._smtp or self._open()
        try:
            smtp.sendmail(sender, [to], mail)
        except smtplib.SMTPRecipientsRefused as error:
            code, said = error.recipients[to]
            raise _of_this_mail(code, said) from error
        except smtplib.SMTPDataError as error:
            raise _of_this_mail(error.smtp_code, error.smtp_error) from error
        except (smtplib.SMTPException, OSError) as error:
            self.close()
            raise ServerAway(said_of(error)) from error

    def _open(self) -> smtplib.SMTP:
        host, port = settings.EMAIL_HOST, settings.EMAIL_PORT
        kind = smtplib.SMTP_SSL if settings.EMAIL_USE_SSL else smtplib.SMTP
        trust = {"context": tls()} if settings.EMAIL_USE_SSL else {}
        try:
            smtp = kind(host, port, local_hostname=mail_domain(), timeout=settings.EMAIL_TIMEOUT, **trust)
            self._smtp = smtp
            if settings.EMAIL_USE_TLS:
                smtp.starttls(context=tls())
            if settings.EMAIL_HOST_USER:
                smtp.login(settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD)
        except (smtplib.SMTPException, OSError) as error:
            self.close()
            raise ServerAway(f"{host}:{port}: {said_of(error)}") from error
        return smtp

    def close(self) -> None:
        """However it stands; the mails that were taken over are safe."""
        if self._smtp is not None:
            smtp, self._smtp = self._smtp, None
            try:
                smtp.quit()
            except (smtplib.SMTPException, OSError):
                smtp.close()


def tls() -> ssl.SSLContext:
    """Certificates are checked, always; a private authority is named in EMAIL_CA_FILE."""
    return ssl.create_default_context(cafile=settings.EMAIL_CA_FILE or None)


def _of_this_mail(code: int, said: bytes | str) -> NotNow | Refused:
    words = f"{code} {_text(said)}"
    return Refused(words) if 500 <= code < 600 else NotNow(words)


def said_of(error: Exception) -> str:
    """What the other side said, in one line."""
    if isinstance(error, smtplib.SMTPResponseException):
        return f"{error.smtp_code} {_text(error.smtp_error)}"
    return " ".join(f"{type(error).__name__}: {error}".split())


def _text(said: bytes | str) -> str:
    return " ".join((said.decode("utf-8", "replace") if isinstance(said, bytes) else said).split())
