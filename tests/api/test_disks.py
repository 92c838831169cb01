"""The list of disks: who sees what, worst first, in pages."""

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from sla.domain.states import WORST_FIRST, State
from sla.fleet.models import Disk, Pool
from sla.fleet.services import issue_enrolment_key
from sla.scoring.models import DiskNow
from tests.conftest import Api, People
from tests.telemetry.machines import description

pytestmark = pytest.mark.django_db
ApiOf = Callable[..., Api]


@pytest.fixture
def disks(people: People) -> dict[str, Disk]:
    """One machine of each customer, with two disks."""
    for customer, name in ((people.customer_a, "machine-a"), (people.customer_b, "machine-b")):
        key = issue_enrolment_key(customer=customer, name="k", uses=1, lifetime=timedelta(days=1))
        two = [{"device": device, "serial": f"{name}-{device}"} for device in ("vda", "vdb")]
        body = description(name, hostname=name, disks=two)
        headers = {"Authorization": f"Bearer {key}"}
        assert Client().post("/api/v1/enrol", body, content_type="application/json", headers=headers).status_code == 201
    return {f"{disk.machine.hostname}/{disk.device}": disk for disk in Disk.objects.select_related("machine")}


def standing(disk: Disk, state: State, left: float | None = None) -> None:
    now = timezone.now()
    DiskNow.objects.create(
        disk=disk, state=state, rank=WORST_FIRST.index(state), budget_left_estimate=left, updated_at=now, seen_at=now
    )


def listed(api: Api, query: str = "") -> list[str]:
    return [f"{item['machine']}/{item['device']}" for item in api.get(f"/api/v1/disks{query}").json()["items"]]


def test_everyone_sees_their_own_disks_and_nobody_elses(disks: dict[str, Disk], people: People, api_of: ApiOf) -> None:
    assert set(listed(api_of(people.noc))) == set(disks)
    assert set(listed(api_of(people.a))) == {"machine-a/vda", "machine-a/vdb"}
    assert listed(api_of(people.stranger)) == []
    assert api_of(None).get("/api/v1/disks").status_code == 401


def test_anothers_disk_does_not_exist(disks: dict[str, Disk], people: People, api_of: ApiOf) -> None:
    path = f"/api/v1/disks/{disks['machine-b/vda'].pk}"
    answers = {name: api_of(user).get(path) for name, user in vars_of(people).items()}
    assert {name: answer.status_code for name, answer in answers.items()} == {"noc": 200, "a": 404, "b": 200, "s": 404}
    unknown = api_of(people.a).get("/api/v1/disks/999999999")
    assert answers["a"].json()["error"]["code"] == unknown.json()["error"]["code"] == "not_found"


def vars_of(people: People) -> dict[str, Any]:
    return {"noc": people.noc, "a": people.a, "b": people.b, "s": people.stranger}


def test_worst_comes_first_and_what_is_unknown_last(disks: dict[str, Disk], people: People, api_of: ApiOf) -> None:
    standing(disks["machine-a/vda"], State.MET, 0.9)
    standing(disks["machine-a/vdb"], State.BREACHED, -0.2)
    standing(disks["machine-b/vda"], State.BREACHED, -1.5)
    order = ["machine-b/vda", "machine-a/vdb", "machine-a/vda", "machine-b/vdb"]
    assert listed(api_of(people.noc)) == order
    assert listed(api_of(people.noc), "?state=no_data") == ["machine-b/vdb"]
    assert listed(api_of(people.noc), "?state=breached&customer=birch") == ["machine-b/vda"]


def test_pages_follow_each_other_without_holes(disks: dict[str, Disk], people: People, api_of: ApiOf) -> None:
    standing(disks["machine-b/vda"], State.BREACHED, -1.5)
    api, seen, cursor = api_of(people.noc), [], ""
    for _ in range(4):
        page = api.get(f"/api/v1/disks?limit=1&cursor={cursor}").json()
        seen += [item["id"] for item in page["items"]]
        cursor = page["next_cursor"]
    assert cursor is None and sorted(seen) == sorted(disk.pk for disk in disks.values())


@pytest.mark.parametrize("query", ["limit=0", "limit=501", "limit=x", "state=fine", "cursor=abc", "cursor=W10"])
def test_a_wrong_question_is_named(people: People, api_of: ApiOf, query: str) -> None:
    response = api_of(people.noc).get(f"/api/v1/disks?{query}")
    assert response.status_code == 422
    assert response.json()["error"]["field"] == query.partition("=")[0]


def test_a_session_reads_too(disks: dict[str, Disk], people: People) -> None:
    client = Client()
    client.force_login(people.a)
    assert len(client.get("/api/v1/disks").json()["items"]) == 2


def test_a_revoked_token_is_no_token(people: People, api_of: ApiOf) -> None:
    api = api_of(people.noc)
    people.noc.api_tokens.update(revoked_at=timezone.now())
    assert api.get("/api/v1/disks").status_code == 401


def test_the_openapi_document_names_what_agents_call() -> None:
    document = Client().get("/api/v1/openapi.json").json()
    assert document["openapi"].startswith("3")
    assert {"/api/v1/frames", "/api/v1/enrol", "/api/v1/disks"} <= set(document["paths"])


def test_a_customer_is_told_no_pool_and_finds_nothing_by_one(
    disks: dict[str, Disk], people: People, api_of: ApiOf
) -> None:
    Disk.objects.update(pool=Pool.objects.create(name="ssd-3"))
    mine = f"/api/v1/disks/{disks['machine-a/vda'].pk}"
    assert {item["pool"] for item in api_of(people.a).get("/api/v1/disks").json()["items"]} == {None}
    assert api_of(people.a).get(mine).json()["pool"] is None
    assert listed(api_of(people.a), "?q=ssd-3") == listed(api_of(people.a), "?pool=ssd-3") == []
    assert api_of(people.noc).get(mine).json()["pool"] == "ssd-3"
    assert len(listed(api_of(people.noc), "?q=ssd-3")) == len(listed(api_of(people.noc), "?pool=ssd-3")) == 4


def test_every_shape_that_the_openapi_document_refers_to_is_in_it() -> None:
    text = Client().get("/api/v1/openapi.json").content.decode()
    named = set(re.findall(r"#/components/schemas/(\w+)", text))
    assert {"EnrolRequest", "JsonFrame"} <= named <= set(json.loads(text)["components"]["schemas"])
