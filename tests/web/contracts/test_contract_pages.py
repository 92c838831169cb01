"""Contracts on pages: who may write, what is said while one types, what an assignment touches."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from sla.accounts.models import AuditEntry, User
from sla.contracts.models import Assignment, Contract
from sla.fleet.models import Disk
from tests.conftest import People
from tests.web.browser import Page

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def noc(people: People, client: Client) -> Client:
    client.force_login(people.noc)
    return client


def test_a_wrong_word_is_pointed_at(noc: Client) -> None:
    text = noc.get("/contracts/check", {"text": "99% < 15 msec at 1000 IOPS"}).content.decode()
    assert "<mark>msec</mark>" in text
    assert "us, ms or s" in text
    right = noc.get("/contracts/check", {"text": "99%<15ms at 1000 iops"}).content.decode()
    assert "99% &lt; 15 ms at 1000 IOPS" in right


def test_a_contract_is_written_and_its_next_version_judges_nothing_yet(noc: Client, people: People) -> None:
    answer = noc.post(
        "/contracts", {"name": "Gold", "customer": people.customer_a.pk, "text": "99.9% < 5 ms at 2000 IOPS"}
    )
    contract = Contract.objects.get(name="Gold")
    assert answer["Location"] == f"/contracts/{contract.pk}"
    noc.post(answer["Location"], {"text": "99.9% < 4 ms at 2000 IOPS"})
    assert list(contract.versions.order_by("number").values_list("text", flat=True)) == [
        "99.9% < 5 ms at 2000 IOPS",
        "99.9% < 4 ms at 2000 IOPS",
    ]
    assert not Assignment.objects.filter(version__contract=contract).exists()
    assert AuditEntry.objects.filter(verb="contract version added", actor=people.noc).count() == 2
    again = noc.post("/contracts", {"name": "Gold", "customer": people.customer_a.pk, "text": "99% < 5 ms at 1 IOPS"})
    assert again.status_code == 400
    assert Contract.objects.filter(name="Gold").count() == 1


def test_assigning_touches_what_was_shown_and_no_more(seeded: dict[str, Disk], noc: Client, people: People) -> None:
    contract = Contract.objects.get(customer=None)
    version = contract.versions.get()
    shown = noc.get("/contracts/assign?customer=Birch")
    assert b"to 4 disks" in shown.content
    assert b'<span class="strong">Birch disks</span> 99.9% &lt; 10 ms at 3000 IOPS' in shown.content
    wrong = noc.post("/contracts/assign?customer=Birch", {"version": version.pk, "count": "3"})
    assert wrong.status_code == 400
    assert not Assignment.objects.filter(version=version).exists()
    assert noc.post("/contracts/assign?customer=Birch", {"version": version.pk, "count": "4"}).status_code == 302
    judged = Assignment.objects.filter(version=version, valid_to=None).values_list(
        "disk__machine__customer__name", flat=True
    )
    assert list(judged) == ["Birch"] * 4


def test_one_customers_contract_is_not_put_on_anothers_disk(seeded: dict[str, Disk], noc: Client) -> None:
    version = Contract.objects.get(customer__name="Alder").versions.get()
    answer = noc.post("/contracts/assign?customer=Birch", {"version": version.pk, "count": "4"})
    assert answer.status_code == 400
    assert "another’s" in answer.content.decode()


def test_four_people_before_contracts(seeded: dict[str, Disk], people: People, client: Client) -> None:
    alder, birch = (Contract.objects.get(customer__name=name).pk for name in ("Alder", "Birch"))
    table: list[tuple[User, list[int]]] = [
        (people.noc, [200, 200, 200]),
        (people.a, [200, 404, 403]),
        (people.b, [404, 404, 403]),
        (people.stranger, [404, 404, 403]),
    ]
    people.b.memberships.all().delete()
    for user, codes in table:
        client.force_login(user)
        paths = [f"/contracts/{alder}", f"/contracts/{birch}", "/contracts/assign"]
        assert [client.get(path).status_code for path in paths] == codes, user
        if user is not people.noc:
            assert client.post("/contracts", {"name": "x", "text": "99% < 5 ms at 1 IOPS"}).status_code == 403
            assert b"Birch" not in client.get("/contracts").content


def test_a_price_is_named_before_a_version_is_written(seeded: dict[str, Disk], noc: Client) -> None:
    contract = Contract.objects.get(customer__name="Alder")
    asked = {"text": "99% < 1 ms at 1000 IOPS", "period": f"{datetime.now(UTC):%Y-%m}"}
    text = noc.get(f"/contracts/{contract.pk}/preview", asked).content.decode()
    assert "as it stands" in text
    assert "99% &lt; 1 ms at 1000 IOPS" in text
    assert (
        "write year and month"
        in noc.get(f"/contracts/{contract.pk}/preview", {**asked, "period": "x"}).content.decode()
    )


def test_a_version_says_what_it_costs_and_the_next_one_costs_the_same(noc: Client) -> None:
    noc.post(
        "/contracts",
        {"name": "Gold", "text": "99.9% < 5 ms at 2000 IOPS", "fee": "49.90 eur", "credits": "25% below 99.5%"},
    )
    contract = Contract.objects.get(name="Gold")
    page = noc.get(f"/contracts/{contract.pk}").content.decode()
    assert 'value="49.90 EUR"' in page
    assert 'value="25% below 99.5%"' in page
    wrong = noc.post(f"/contracts/{contract.pk}", {"text": "99.9% < 5 ms at 2000 IOPS", "fee": "a lot"})
    assert wrong.status_code == 400
    assert "is no fee" in wrong.content.decode()
    assert contract.versions.count() == 1


@pytest.mark.page
def test_nothing_is_to_say_against_them(
    seeded: dict[str, Disk], people: People, open_page: Callable[..., Page], faults_of: Callable[..., dict[str, Any]]
) -> None:
    contract = Contract.objects.get(customer__name="Alder").pk
    assert faults_of((people.noc, path) for path in ("/contracts", "/contracts/assign?pool=ssd-1")) == {}
    typing = open_page(people.noc, f"/contracts/{contract}")
    typing.page.fill("input[name=text]", "99% < 15 msec at 1000 IOPS")
    typing.page.wait_for_selector("#check mark")
    assert typing.faults() == []


def test_from_the_disks_found_to_their_contract(seeded: dict[str, Disk], people: People, client: Client) -> None:
    client.force_login(people.noc)
    assert 'href="/contracts/assign?pool=ssd-1">Assign these a contract' in client.get("/?pool=ssd-1").content.decode()
    client.force_login(people.a)
    assert "/contracts/assign" not in client.get("/").content.decode()
