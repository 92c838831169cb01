"""Who is told of a new statement? Its customer's people who want news by mail, in the transaction that freezes it."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.dispatch import receiver
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext

from sla.accounts.language import known
from sla.accounts.models import User
from sla.domain.incidents.words import Severity
from sla.domain.notices.wishes import Way
from sla.notifications.foot import foot
from sla.notifications.models import Notice
from sla.notifications.nudge import nudge_after_commit
from sla.notifications.writing import new_message_id
from sla.reports.models import Statement
from sla.reports.sheet import words
from sla.reports.sheet.page import tiles, verdict
from sla.reports.signals import statement_frozen

SUBJECT_MAX = 300
KEEP_TRYING = timedelta(days=3)


@receiver(statement_frozen, dispatch_uid="letters of statements")
def write(sender: Any, statement: Statement, **_: Any) -> int:
    """One notice a person, ready to be sent; how many."""
    made = [_in_their_language(statement, person) for person in readers(statement)]
    Notice.objects.bulk_create(made)
    if made:
        nudge_after_commit()
    return len(made)


def readers(statement: Statement) -> list[User]:
    """Active people of the customer with an address; who turned news of the least urgency off gets none."""
    people = User.objects.filter(is_active=True, memberships__customer=statement.customer_id).exclude(email="")
    return list(people.exclude(notices_wanted__info=Way.OFF.value).distinct().order_by("pk"))


def _in_their_language(statement: Statement, person: User) -> Notice:
    """A person's own choice, else the statement's customer's, whatever other customers they belong to."""
    with translation.override(known(person.language or statement.customer.language)):
        return _notice(statement, person)


def _notice(statement: Statement, person: User) -> Notice:
    now = timezone.now()
    notice = Notice(
        person=person,
        topic=Notice.Topic.STATEMENT,
        occasion=statement.number,
        severity=Severity.INFO.value,
        created_at=now,
        next_at=now,
        give_up_at=now + KEEP_TRYING,
        rendered_at=now,
        message_id=new_message_id(),
    )
    document = statement.document
    month = words.month(document["period"]["start"], document["period"]["zone"])
    title = gettext("SLA statement %(month)s: %(verdict)s") % {"month": month, "verdict": verdict(document)["text"]}
    context = {
        "subject": title,
        "heading": title,
        "statement": statement,
        "tone": verdict(document)["state"],
        "tiles": tiles(document),
        "address": settings.BASE_URL + reverse("report", args=[statement.pk]),
        "check": settings.BASE_URL + reverse("verify"),
        "preheader": f"{statement.customer}, {month}",
        **foot(notice),
    }
    notice.subject = title[:SUBJECT_MAX]
    notice.plain = render_to_string("mail/statement.txt", context)
    notice.html = render_to_string("mail/statement.html", context)
    return notice
