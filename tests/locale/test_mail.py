"""In which language does a mail come: of its reader's choice, else of their customer, else of the house."""

import re

import pytest
from django.core import mail
from django.test import Client

from sla.accounts.language import language_of
from sla.accounts.models import Customer, Membership, User
from sla.notifications.letters import render
from sla.notifications.models import Notice
from tests.conftest import People
from tests.notifications.conftest import NOW, MakeDisks, make_disks, opened, readers

__all__ = ["make_disks", "readers"]  # fixtures
pytestmark = pytest.mark.django_db
CYRILLIC, KANA = re.compile("[а-я]{3}"), re.compile("[ぁ-ん]")


def letter_to(person: User, make_disks: MakeDisks) -> dict[str, str]:
    opened(make_disks(2), NOW)
    return render(Notice.objects.get(person=person, channel=None))


def test_a_letter_comes_in_the_language_of_its_reader(readers: People, make_disks: MakeDisks) -> None:
    User.objects.filter(pk=readers.a.pk).update(language="fr")
    parts = letter_to(readers.a, make_disks)
    assert "2 de vos disques sont lents" in parts["subject"]
    assert '<html lang="fr"' in parts["html"] and "Ouvrir l’incident" in parts["html"]
    assert "21 nov. 12:00 UTC" in parts["plain"]


def test_who_chose_none_reads_in_the_language_of_their_customer(readers: People, make_disks: MakeDisks) -> None:
    Customer.objects.filter(pk=readers.customer_a.pk).update(language="ru")
    parts = letter_to(readers.a, make_disks)
    assert "2 ваших диска работают медленно" in parts["subject"]
    assert CYRILLIC.search(parts["html"])


def test_whose_customers_chose_none_reads_in_the_house_s_own(people: People) -> None:
    assert language_of(people.a) == language_of(None) == language_of(people.noc) == "en"
    Customer.objects.filter(pk=people.customer_b.pk).update(language="ja")
    assert language_of(people.b) == "ja"
    Membership.objects.create(user=people.b, customer=people.customer_a)
    assert language_of(people.b) == "ja"  # the first they belonged to
    people.b.language = "fr"
    assert language_of(people.b) == "fr"


def test_an_invitation_comes_in_the_customers_language_and_the_page_in_the_browsers(people: People) -> None:
    Customer.objects.filter(pk=people.customer_a.pk).update(language="ja")
    client = Client()
    client.force_login(people.noc)
    told = {"email": "d@alder.example", "role": "viewer"}
    page = client.post(f"/customers/{people.customer_a.pk}/people/invite", told, follow=True)
    assert "d@alder.example was invited." in page.content.decode()
    assert KANA.search(mail.outbox[0].body) and KANA.search(mail.outbox[0].subject)


def test_a_lost_password_comes_in_its_owners_language(people: People) -> None:
    User.objects.filter(pk=people.a.pk).update(email="a@alder.example", language="ru")
    Client(headers={"accept-language": "fr"}).post("/password/forgotten", {"email": "a@alder.example"})
    assert CYRILLIC.search(mail.outbox[0].body)
