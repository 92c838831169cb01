"""Inviting, joining, changing roles, letting go: who may, what it says in the trail, and that a link is good once."""

import re
from datetime import timedelta
from smtplib import SMTPException
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from sla.accounts import throttle
from sla.accounts.invitations import NotOpen, accept, find, invite
from sla.accounts.models import AuditEntry, Customer, Invitation, Membership, User
from sla.accounts.throttle import Limit
from tests.conftest import People

pytestmark = pytest.mark.django_db
NEW = {"username": "dora", "password": "a new long one 42"}


@pytest.fixture
def manager(people: People) -> Client:
    Membership.objects.filter(user=people.a).update(role="manager")
    client = Client()
    client.force_login(people.a)
    return client


def asked(client: Client, customer: Customer, **form: str) -> Any:
    return client.post(
        f"/customers/{customer.pk}/people/invite", {"email": "d@alder.example", "role": "viewer", **form}
    )


def link_in_mail() -> str:
    found = re.search(r"http://[^/]+(/invitations/\S+)", mail.outbox[-1].body)
    assert found
    return found[1]


def test_who_is_invited_makes_an_account_once_and_sees_that_customer(people: People, manager: Client) -> None:
    assert asked(manager, people.customer_a).status_code == 302
    assert mail.outbox[-1].to == ["d@alder.example"] and "Alder" in mail.outbox[-1].subject
    link = link_in_mail()
    guest = Client()
    assert "d@alder.example" in guest.get(link).content.decode()
    assert guest.post(link, {**NEW, "password": "short"}).status_code == 422
    assert guest.post(link, {**NEW, "username": "A"}).status_code == 422  # "a" is taken, whatever its capitals
    assert guest.post(link, NEW)["Location"] == "/home"
    assert guest.get(f"/customers/{people.customer_a.pk}/").status_code == 200
    assert guest.get(f"/customers/{people.customer_b.pk}/").status_code == 404
    dora = User.objects.get(username="dora")
    assert (dora.email, dora.memberships.get().role, dora.noc_role) == ("d@alder.example", "viewer", "")
    assert Client().get(link).status_code == 404
    verbs = AuditEntry.objects.filter(customer=people.customer_a).order_by("id").values_list("verb", "actor_label")
    assert list(verbs)[-2:] == [("person invited", "a"), ("invitation accepted", "dora")]


def test_who_has_an_account_accepts_with_it(people: People, manager: Client) -> None:
    asked(manager, people.customer_a, role="manager")
    guest = Client()
    guest.force_login(people.b)
    assert guest.post(link_in_mail())["Location"] == "/home"
    assert Membership.objects.get(user=people.b, customer=people.customer_a).role == "manager"
    assert Membership.objects.filter(user=people.b).count() == 2


def test_a_manager_who_opens_a_viewers_link_stays_a_manager(people: People, manager: Client) -> None:
    asked(manager, people.customer_a)
    manager.post(link_in_mail())
    assert Membership.objects.get(user=people.a).role == "manager"


def test_a_known_mail_address_gets_no_second_account(people: People, manager: Client) -> None:
    User.objects.filter(pk=people.b.pk).update(email="D@alder.example")
    asked(manager, people.customer_a)
    answer = Client().post(link_in_mail(), NEW)
    assert answer.status_code == 422 and "log in with it" in answer.content.decode()
    assert not User.objects.filter(username="dora").exists()


def test_a_link_ends_is_taken_back_and_is_replaced_by_a_newer_one(people: People) -> None:
    now = timezone.now()
    more: dict[str, Any] = {
        "email": "d@alder.example",
        "by": people.noc,
        "customer": people.customer_a,
        "role": "viewer",
    }
    _, first = invite(now=now, **more)
    second, later = invite(now=now, **more)
    with pytest.raises(NotOpen):
        find(first, now)
    assert find(later, now).pk == second.pk
    for secret, at in ((later, now + timedelta(days=7)), ("guess", now)):
        with pytest.raises(NotOpen):
            find(secret, at)
    client = Client()
    client.force_login(people.noc)
    client.post(f"/customers/{people.customer_a.pk}/invitations/{second.pk}/withdraw")
    with pytest.raises(NotOpen):
        find(later, now)


@pytest.mark.usefixtures("throttle_stands_still")
def test_who_guesses_links_has_to_wait(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "SECRET_ADDRESS", Limit(3, 300))
    answers = [Client().get(f"/invitations/guess-{number}") for number in range(5)]
    assert [answer.status_code for answer in answers] == [404, 404, 404, 429, 429]
    assert int(answers[-1]["Retry-After"]) > 0


def test_two_clicks_on_one_link_let_one_in(people: People) -> None:
    now = timezone.now()
    invitation, _ = invite(email="d@x.example", by=people.noc, now=now, customer=people.customer_a, role="viewer")
    accept(invitation=invitation, user=people.b, now=now)
    with pytest.raises(NotOpen):
        accept(invitation=invitation, user=people.stranger, now=now)
    assert not Membership.objects.filter(user=people.stranger).exists()


def test_a_mail_that_cannot_be_sent_leaves_no_open_link(
    people: People, manager: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*args: object, **kwargs: object) -> None:
        raise SMTPException("no such user")

    monkeypatch.setattr("sla.web.people.invite.send_mail", refused)
    page = manager.get(asked(manager, people.customer_a)["Location"]).content.decode()
    assert "taken back" in page
    assert Invitation.objects.get().revoked_at is not None


def test_without_a_mail_server_the_link_is_shown_this_once(people: People, manager: Client, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    page = asked(manager, people.customer_a)
    assert page["Cache-Control"] == "no-store"
    link = re.search(r'id="link">http://[^/]+([^<]+)<', page.content.decode())
    assert link
    assert Client().post(link[1], NEW).status_code == 302


@pytest.mark.parametrize("form", [{"email": "not an address"}, {"role": "admin"}, {"email": ""}])
def test_an_odd_invitation_is_refused(form: dict[str, str], people: People, manager: Client) -> None:
    assert asked(manager, people.customer_a, **form).status_code == 422
    assert not Invitation.objects.exists() and not mail.outbox


def test_who_may_not_invites_nobody(people: People) -> None:
    client = Client()
    for user, customer, status in (
        (people.a, people.customer_a, 403),  # a viewer of it
        (people.b, people.customer_a, 404),
        (people.noc, people.customer_a, 302),
    ):
        client.force_login(user)
        assert asked(client, customer).status_code == status
    User.objects.filter(pk=people.noc.pk).update(noc_role="operator")
    assert asked(client, people.customer_a).status_code == 403


def test_roles_change_with_before_and_after_and_people_go(people: People, manager: Client) -> None:
    member = Membership.objects.create(user=people.stranger, customer=people.customer_a)
    path = f"/customers/{people.customer_a.pk}/people/{member.pk}"
    manager.post(path, {"role": "manager"})
    assert manager.post(path, {"role": "owner"}).status_code == 400
    entry = AuditEntry.objects.get(verb="role changed")
    assert (entry.before, entry.after, entry.customer) == ({"role": "viewer"}, {"role": "manager"}, people.customer_a)
    manager.post(path, {"remove": "1"})
    assert not Membership.objects.filter(pk=member.pk).exists()
    assert User.objects.filter(pk=people.stranger.pk).exists()
    other = Membership.objects.get(user=people.b)
    assert manager.post(f"/customers/{people.customer_a.pk}/people/{other.pk}", {"remove": "1"}).status_code == 404


def test_the_last_administrator_of_the_noc_stays(people: People, client: Client) -> None:
    client.force_login(people.noc)
    page = client.post(f"/people/{people.noc.pk}", {"remove": "1"}, follow=True).content.decode()
    assert "only administrator" in page
    second = User.objects.create_user("noc-2", noc_role="admin")
    client.post(f"/people/{second.pk}", {"role": "viewer"})
    second.refresh_from_db()
    assert second.noc_role == "viewer"
    assert AuditEntry.objects.get(verb="NOC role changed").before == {"role": "admin"}


def test_a_customers_person_cannot_be_made_one_of_the_noc_by_id(people: People, client: Client) -> None:
    client.force_login(people.noc)
    assert client.post(f"/people/{people.a.pk}", {"role": "admin"}).status_code == 404


def test_an_invitation_to_the_noc_is_for_its_administrators(people: People, client: Client) -> None:
    client.force_login(people.noc)
    client.post("/people/invite", {"email": "d@provider.example", "role": "operator"})
    guest = Client()
    guest.post(link_in_mail(), NEW)
    assert User.objects.get(username="dora").noc_role == "operator"
    assert guest.post("/people/invite", {"email": "e@provider.example", "role": "viewer"}).status_code == 403


def test_customers_are_added_and_renamed_once_whatever_the_capitals(people: People, client: Client) -> None:
    client.force_login(people.noc)
    assert client.post("/customers", {"name": " Elm  Ltd ", "zone": "Europe/Paris"}).status_code == 302
    elm = Customer.objects.get(name="Elm Ltd")
    assert client.post("/customers", {"name": "elm ltd", "zone": "UTC"}).status_code == 422
    assert client.post(f"/customers/{elm.pk}/settings", {"name": "ALDER", "zone": "UTC"}).status_code == 422
    assert client.post(f"/customers/{elm.pk}/settings", {"name": "Elm", "zone": "Mars/Base"}).status_code == 422
    client.post(f"/customers/{elm.pk}/settings", {"name": "Elm", "zone": "UTC"})
    entry = AuditEntry.objects.get(verb="customer changed")
    was, now = (
        {"name": name, "zone": zone, "language": ""} for name, zone in (("Elm Ltd", "Europe/Paris"), ("Elm", "UTC"))
    )
    assert (entry.before, entry.after) == (was, now)
    page = client.get("/customers?q=el").content.decode()
    assert "Elm" in page and "Alder" not in page
