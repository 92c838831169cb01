"""An enrolment key from the page: for those who may, shown once, good for a machine, written down."""

import json
import re
from typing import Any

import pytest
from django.test import Client

from sla.accounts.models import AuditEntry, Customer, Membership, User
from sla.fleet.models import EnrolmentKey, Machine
from tests.conftest import People
from tests.telemetry.machines import description

pytestmark = pytest.mark.django_db
ASKED = {"customer": "Alder", "uses": "1"}


def key_in(page: Any) -> str:
    found = re.search(r'id="key">([^<]+)<', page.content.decode())
    assert found
    return found[1]


def test_the_key_lets_a_machine_in_and_is_kept_as_a_hash_only(people: People, client: Client) -> None:
    client.force_login(people.noc)
    answer = client.post("/agents/key", ASKED)
    assert "no-store" in answer["Cache-Control"]
    key = key_in(answer)
    assert key.encode() not in bytes(EnrolmentKey.objects.get().key_hash)
    enrolled = Client().post(
        "/api/v1/enrol",
        json.dumps(description()),
        content_type="application/json",
        headers={"Authorization": f"Bearer {key}"},
    )
    assert enrolled.status_code in (200, 201)
    assert Machine.objects.get().customer == people.customer_a
    assert key not in client.get("/agents").content.decode()


def test_a_new_name_adds_a_customer_and_both_are_written_down(people: People, client: Client) -> None:
    client.force_login(people.noc)
    client.post("/agents/key", {**ASKED, "customer": "  Elm   and Sons "})
    assert Customer.objects.filter(name="Elm and Sons").exists()
    assert list(AuditEntry.objects.order_by("id").values_list("verb", "actor_label")[:9])[-2:] == [
        ("customer added", "noc"),
        ("enrolment key made", "noc"),
    ]


def test_only_operators_and_administrators_of_the_noc_may(people: People, client: Client) -> None:
    viewer = User.objects.create_user("viewer", noc_role=User.NocRole.VIEWER)
    for user in (viewer, people.a, people.stranger):
        client.force_login(user)
        assert client.post("/agents/key", ASKED).status_code == 403
        assert 'action="/agents/key"' not in client.get("/agents").content.decode()
    assert not EnrolmentKey.objects.exists()
    assert Client().post("/agents/key", ASKED).status_code == 302


def test_another_site_cannot_have_one_made(people: People) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(people.noc)
    assert client.post("/agents/key", ASKED).status_code == 403
    assert not EnrolmentKey.objects.exists()


@pytest.mark.parametrize("wrong", [{"uses": "0"}, {"uses": "10001"}, {"customer": " "}, {"uses": "many"}])
def test_what_makes_no_sense_makes_no_key(wrong: dict[str, str], people: People, client: Client) -> None:
    client.force_login(people.noc)
    assert client.post("/agents/key", {**ASKED, **wrong}).status_code == 422
    assert not EnrolmentKey.objects.exists()


def test_a_manager_makes_them_for_the_own_customer_and_never_for_hypervisors(people: People, client: Client) -> None:
    Membership.objects.filter(user=people.a).update(role="manager")
    client.force_login(people.a)
    assert client.post("/agents/key", ASKED).status_code == 200
    assert EnrolmentKey.objects.get().customer == people.customer_a
    assert client.post("/agents/key", {**ASKED, "customer": "Birch"}).status_code == 422
    assert client.post("/agents/key", {**ASKED, "customer": "Elm"}).status_code == 422
    assert client.post("/agents/key", {**ASKED, "for_hypervisors": "on"}).status_code == 403
    assert EnrolmentKey.objects.count() == 1 and not Customer.objects.filter(name="Elm").exists()


def test_a_key_is_listed_for_its_own_and_revoked(people: People) -> None:
    Membership.objects.filter(user=people.a).update(role="manager")
    noc, a = Client(), Client()
    noc.force_login(people.noc)
    a.force_login(people.a)
    key = key_in(a.post("/agents/key", ASKED))
    noc.post("/agents/key", {**ASKED, "customer": "Birch"})
    assert "Birch" in noc.get("/agents/keys").content.decode()
    page = a.get("/agents/keys").content.decode()
    assert "made by a" in page and "made by noc" not in page
    theirs = EnrolmentKey.objects.get(customer=people.customer_b)
    assert a.post(f"/agents/keys/{theirs.pk}/revoke").status_code == 404
    mine = EnrolmentKey.objects.get(customer=people.customer_a)
    assert a.post(f"/agents/keys/{mine.pk}/revoke").status_code == 302
    refused = Client().post(
        "/api/v1/enrol",
        json.dumps(description()),
        content_type="application/json",
        headers={"Authorization": f"Bearer {key}"},
    )
    assert refused.status_code == 401
    assert AuditEntry.objects.get(verb="enrolment key revoked").before["uses_left"] == 1
    assert "None." in a.get("/agents/keys").content.decode()
