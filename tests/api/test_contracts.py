"""Contracts through the API: who sees and writes them, what a text means, and a disk's past under new terms."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from sla.accounts.models import AuditEntry
from sla.contracts.models import Contract
from sla.fleet.models import Disk
from sla.scoring.models import Slot
from sla.scoring.services import settle_due
from tests.conftest import Api, People
from tests.scoring.conftest import NOW, disk, machine, sent, term

pytestmark = pytest.mark.django_db
ApiOf = Callable[..., Api]
__all__ = ["disk", "machine", "sent", "term"]
TEXT = "99.9% < 5 ms at 3000 IOPS"


def post(api: Api, path: str, **body: Any) -> Any:
    return api.call("POST", f"/api/v1/{path}", json.dumps(body))


def test_a_text_is_explained_and_what_it_costs_is_said(people: People, api_of: ApiOf) -> None:
    said = post(api_of(people.b), "contracts/check", text="99.99% < 5.1 ms at 3000 IOPS").json()
    assert (said["objective"], said["read_threshold_ms"], said["depth"]) == (0.9999, 5.1, 13)
    assert "threshold_off_edge" in {one["code"] for one in said["warnings"]}
    wrong = post(api_of(people.b), "contracts/check", text="99% < 15 msec at 1000 IOPS")
    assert (wrong.status_code, wrong.json()["error"]["field"]) == (422, "text")
    assert "msec" in wrong.json()["error"]["message"]


def test_the_noc_writes_contracts_and_versions_and_it_is_written_down(people: People, api_of: ApiOf) -> None:
    noc = api_of(people.noc)
    made = post(noc, "contracts", name="Gold", customer=people.customer_a.pk, text=TEXT)
    assert made.status_code == 201
    contract = made.json()
    assert post(noc, "contracts", name="Gold", customer=people.customer_a.pk, text=TEXT).status_code == 409
    second = post(noc, f"contracts/{contract['id']}/versions", text="99% < 5 ms at 3000 IOPS")
    assert (second.status_code, second.json()["number"]) == (201, 2)
    numbers = [one["number"] for one in noc.get(f"/api/v1/contracts/{contract['id']}").json()["versions"]]
    assert numbers == [2, 1]
    assert AuditEntry.objects.filter(verb="contract version added", actor=people.noc).count() == 2


def test_others_contracts_do_not_exist_and_customers_write_none(people: People, api_of: ApiOf) -> None:
    contract = post(api_of(people.noc), "contracts", name="Gold", customer=people.customer_a.pk, text=TEXT).json()
    assert [one["name"] for one in api_of(people.a).get("/api/v1/contracts").json()["items"]] == ["Gold"]
    assert api_of(people.b).get("/api/v1/contracts").json() == {"items": [], "next_cursor": None}
    assert api_of(people.b).get(f"/api/v1/contracts/{contract['id']}").status_code == 404
    assert api_of(None).get("/api/v1/contracts").status_code == 401
    for body in ({"text": TEXT, "name": "x"},):
        assert post(api_of(people.a), "contracts", **body).status_code == 403
    assert post(api_of(people.a), f"contracts/{contract['id']}/versions", text=TEXT).status_code == 403
    assert Contract.objects.get(name="Gold").versions.count() == 1


def test_lists_go_on_where_they_ended(people: People, api_of: ApiOf) -> None:
    noc = api_of(people.noc)
    made = [post(noc, "contracts", name=f"C{n}", text=TEXT).json()["id"] for n in range(3)]
    first = noc.get("/api/v1/contracts?limit=2").json()
    rest = noc.get(f"/api/v1/contracts?limit=2&cursor={first['next_cursor']}").json()
    assert set(made) <= {one["id"] for page in (first, rest) for one in page["items"]}


def test_new_terms_from_a_past_moment_judge_the_past_again(
    people: People, api_of: ApiOf, disk: Disk, sent: Callable[..., dict[str, Any]]
) -> None:
    sent(4)
    settle_due()
    before = Slot.objects.get().term
    noc = api_of(people.noc)
    contract = post(noc, "contracts", name="Gold", customer=people.customer_a.pk, text=TEXT).json()
    version = contract["versions"][0]["id"]
    path = f"disks/{disk.pk}/assignments"
    assert post(api_of(people.a), path, version=version).status_code == 403
    got = post(noc, path, version=version, valid_from=NOW - 600)
    assert (got.status_code, got.json()["version"]) == (201, version)
    settle_due()
    assert Slot.objects.get().term == version != before
    times = [(one["version"], one["valid_to"]) for one in api_of(people.a).get(f"/api/v1/{path}").json()["items"]]
    assert times == [(before, NOW - 600), (version, None)]
    assert api_of(people.b).get(f"/api/v1/{path}").status_code == 404


def test_an_assignment_that_cannot_be_is_refused_with_its_reason(people: People, api_of: ApiOf, disk: Disk) -> None:
    noc = api_of(people.noc)
    foreign = post(noc, "contracts", name="B's", customer=people.customer_b.pk, text=TEXT).json()["versions"][0]["id"]
    path = f"disks/{disk.pk}/assignments"
    assert post(noc, path, version=foreign).json()["error"]["field"] == "version"
    assert post(noc, path, version=10**6).status_code == 422
    own = post(noc, "contracts", name="A's", text=TEXT).json()["versions"][0]["id"]
    long_ago = int((timezone.now() - timedelta(days=70)).timestamp())
    late = post(noc, path, version=own, valid_from=long_ago)
    assert (late.status_code, late.json()["error"]["code"]) == (409, "period_closed")
