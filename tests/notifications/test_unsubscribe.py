"""One click turns one kind of mail off, for one person, without a login."""

import re

import pytest
from django.core import signing
from django.test import Client

from sla.accounts.models import AuditEntry
from sla.notifications.deliver import deliver
from sla.notifications.models import Preference
from sla.notifications.unsubscribe import SALT
from tests.conftest import People
from tests.notifications.conftest import Clock, MakeDisks, opened
from tests.notifications.sink import Sink

pytestmark = pytest.mark.django_db


def link(sink: Sink, name: str) -> str:
    (mail,) = [mail for mail in sink.mails if mail.to.startswith(name)]
    return re.sub(r"^<http://[^/]+|>$", "", str(mail.message["List-Unsubscribe"]))


def test_a_mail_programs_post_turns_off_this_kind_and_no_other(
    readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink
) -> None:
    opened(make_disks(1), clock.now)
    deliver()
    client = Client(enforce_csrf_checks=True)
    for _ in range(2):
        answer = client.post(link(sink, "a@"), {"List-Unsubscribe": "One-Click"})
        assert answer.status_code == 200
    kept = Preference.objects.get(user=readers.a)
    assert (kept.page, kept.ticket, kept.info) == ("off", "now", "digest")
    assert not Preference.objects.filter(user=readers.noc).exists()
    assert AuditEntry.objects.filter(verb="mail turned off", actor_label="unsubscribe link").count() == 1
    opened(make_disks(1), clock.now)
    deliver()
    assert [mail.to for mail in sink.mails].count("a@example.com") == 1


def test_looking_at_the_link_changes_nothing(readers: People, make_disks: MakeDisks, clock: Clock, sink: Sink) -> None:
    opened(make_disks(1), clock.now)
    deliver()
    answer = Client().get(link(sink, "a@"))
    assert "Turn this kind of mail off?" in answer.content.decode()
    assert not Preference.objects.exists()


@pytest.mark.parametrize(
    "token",
    [
        "x",
        signing.Signer(salt="other").sign_object([1, "page"]),
        signing.Signer(salt=SALT).sign_object([1, "everything"]),
    ],
)
def test_a_link_that_we_have_not_made_is_nothing(readers: People, token: str) -> None:
    assert Client().post(f"/notifications/off/{token}").status_code == 404
    assert not Preference.objects.exists()
