"""A new mail address: asked for by who shows who they are, used once the link that came to it was opened."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from sla.accounts import mail_address
from sla.accounts.models import AuditEntry, User
from tests.conftest import People

pytestmark = pytest.mark.django_db
PASSWORD = "a long password a"


def test_who_changes_a_mail_address_shows_first_who_they_are(people: People) -> None:
    User.objects.filter(pk=people.a.pk).update(email="a@alder.example")
    client = Client()
    client.force_login(people.a)  # long ago, as far as the session knows
    assert client.get("/account/mail")["Location"].startswith("/account/confirm")
    client.post("/account/confirm", {"password": PASSWORD})
    assert client.post("/account/mail", {"email": "new@alder.example"}).status_code == 302
    people.a.refresh_from_db()
    assert people.a.email == "a@alder.example"  # used only once it is verified
    assert [sent.to for sent in mail.outbox] == [["new@alder.example"]]
    link = re.search(r"/account/mail/\S+", mail.outbox[0].body)[0]
    other = Client()
    other.force_login(people.b)
    assert other.post(link).status_code == 404  # it is good for who asked for it
    assert client.get(link).status_code == 200
    people.a.refresh_from_db()
    assert people.a.email == "a@alder.example"  # a mail program that looks at links changes nothing
    assert client.post(link).status_code == 302
    people.a.refresh_from_db()
    assert people.a.email == "new@alder.example"
    assert mail.outbox[1].to == ["a@alder.example"]
    entry = AuditEntry.objects.get(verb="mail address changed")
    assert (entry.before, entry.after) == ({"email": "a@alder.example"}, {"email": "new@alder.example"})
    assert client.post(link).status_code == 404  # once
    User.objects.filter(pk=people.b.pk).update(email="b@birch.example")
    assert client.post("/account/mail", {"email": "B@birch.example"}).status_code == 422


def test_a_link_to_a_mail_address_is_over_with_the_password_and_after_a_day(people: People) -> None:
    link = mail_address.link_for(people.a, "new@alder.example")
    assert mail_address.wanted_by(link, people.a) == "new@alder.example"
    with freeze_signing(25 * 3600), pytest.raises(mail_address.LinkOver):
        mail_address.wanted_by(link, people.a)
    with pytest.raises(mail_address.LinkOver):
        mail_address.wanted_by(link[:-1] + ("A" if link[-1] != "A" else "B"), people.a)
    people.a.set_password("another long password")
    with pytest.raises(mail_address.LinkOver):
        mail_address.wanted_by(link, people.a)


def test_an_address_that_another_account_has_taken_meanwhile_is_refused(people: People) -> None:
    link = reverse("mail_address_verified", args=[mail_address.link_for(people.a, "late@alder.example")])
    User.objects.filter(pk=people.b.pk).update(email="Late@alder.example")
    client = Client()
    client.force_login(people.a)
    page = client.post(link, follow=True).content.decode()
    assert "Another account has this mail address." in page
    people.a.refresh_from_db()
    assert people.a.email == ""


@contextmanager
def freeze_signing(later_s: int) -> Iterator[None]:
    """As if so much time had passed for everything that is signed with its moment."""
    now = time.time()
    with mock.patch("django.core.signing.time.time", lambda: now + later_s):
        yield
