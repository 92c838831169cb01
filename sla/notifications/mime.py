"""What is handed to the mail server? The kept parts of a notice as one message, the same bytes at every try."""

from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr

from django.conf import settings

from sla.notifications import unsubscribe
from sla.notifications.models import Notice
from sla.notifications.trouble import Refused
from sla.notifications.writing import mail_domain

CHART_CID = "chart"


def sender() -> str:
    """The bare address bounces go to."""
    return parseaddr(settings.DEFAULT_FROM_EMAIL)[1]


def message(notice: Notice) -> EmailMessage:
    """Raises Refused where the address cannot be one."""
    mail = EmailMessage(policy=SMTP)
    mail["Message-ID"] = notice.message_id
    mail["Date"] = format_datetime(notice.rendered_at or notice.created_at)
    name, address = parseaddr(settings.DEFAULT_FROM_EMAIL)
    mail["From"] = _address(name or "Plimsoll", address)
    mail["To"] = _address("", notice.person.email)
    mail["Subject"] = one_line(notice.subject)
    if notice.incident_id:
        root = f"<incident-{notice.incident_id}@{mail_domain()}>"
        mail["References"] = root
        mail["In-Reply-To"] = root
    mail["Auto-Submitted"] = "auto-generated"
    mail["X-Auto-Response-Suppress"] = "All"
    mail["List-Id"] = f"Plimsoll {notice.severity} <{notice.severity}.{mail_domain()}>"
    if notice.topic != Notice.Topic.TEST:
        mail["List-Unsubscribe"] = f"<{unsubscribe.url_for(notice)}>"
        mail["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    mail.set_content(notice.plain, cte="quoted-printable")
    mail.add_alternative(notice.html, subtype="html", cte="quoted-printable")
    if notice.chart:
        page = mail.get_payload()[1]
        page.add_related(
            bytes(notice.chart), "image", "png", cid=f"<{CHART_CID}>", filename="latency.png", disposition="inline"
        )
    for number, part in enumerate(part for part in mail.walk() if part.is_multipart()):
        part.set_boundary(f"={notice.pk}={number}={notice.message_id[1:17]}=")  # not a random one: a repeat is the same
    return mail


def _address(name: str, address: str) -> Address:
    try:
        return Address(one_line(name), addr_spec=address)
    except ValueError as error:
        raise Refused(f"{address!r} is no mail address: {error}") from error
    except IndexError as error:  # what the parser of the standard library makes of an empty one
        raise Refused(f"{address!r} is no mail address") from error


def one_line(text: str) -> str:
    """A name of a disk with a line break in it must not become a header of its own."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
