"""Results of active tests come in once, bounded, and are read by who may see the disk."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from sla.accounts.models import AuditEntry
from sla.fleet.models import Agent, Disk
from sla.probes import pace, services
from sla.probes.models import Probe
from tests.conftest import Api, People
from tests.probes import told

pytestmark = pytest.mark.django_db
Tell = Callable[..., Any]


@pytest.mark.parametrize("make", [told.steps, told.fsync], ids=["steps", "fsync"])
def test_a_result_is_kept_and_read_back_as_it_was_told(
    make: Callable[..., Any], tell: Tell, disk: Disk, api_of: Any, people: People
) -> None:
    sent = make()
    answer = tell(sent)
    assert answer.status_code == 201 and answer.json() == {"id": sent["id"], "disk": disk.pk}
    [item] = api_of(people.a).get(f"/api/v1/disks/{disk.pk}/probes").json()["items"]
    for name in set(sent) - {"device", "serial", "wwn"}:
        assert item[name] == (pytest.approx(sent[name]) if name.endswith("_at") else sent[name]), name
    [entry] = AuditEntry.objects.filter(verb__startswith="active test")
    assert entry.actor_label == "agent of web-1" and entry.customer == people.customer_a


def test_the_same_result_twice_is_one_and_another_under_its_id_is_refused(tell: Tell) -> None:
    sent = told.steps()
    assert [tell(sent).status_code, tell(sent).status_code] == [201, 200]
    assert tell({**sent, "engine": "own"}).status_code == 409
    assert Probe.objects.count() == 1 and Probe.objects.get().said["engine"] == "fio"
    assert AuditEntry.objects.filter(verb__startswith="active test").count() == 1


def test_only_the_machines_own_agent_tells_of_its_disks(tell: Tell, agent_of: Any, api_of: Any, people: People) -> None:
    other = agent_of("fedcba9876543210", hostname="web-2")
    assert tell(told.steps(), by=other).json()["error"]["code"] == "unknown_disk"
    assert tell(told.steps(), by=api_of(people.noc)).status_code == 401
    assert tell(told.steps(), by=Api(None)).status_code == 401
    Agent.objects.filter(machine__hostname="web-1").update(revoked_at="2026-01-01T00:00Z")
    assert tell(told.steps()).status_code == 401
    assert not Probe.objects.exists()


def test_others_do_not_read_them(tell: Tell, disk: Disk, api_of: Any, people: People) -> None:
    tell(told.steps())
    path = f"/api/v1/disks/{disk.pk}/probes"
    seen = [api_of(person).get(path).status_code for person in (people.noc, people.a, people.b, people.stranger)]
    assert seen == [200, 200, 404, 404] and api_of(None).get(path).status_code == 401


def _bent(**change: Any) -> dict[str, Any]:
    return {"steps": [{**told.STEPS[0], **change}]}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (_bent(hist=[[10, 1]]), "steps"),
        (_bent(hist=[[281, 2000]]), None),
        (_bent(slow=5000), "steps"),
        (_bent(iops=9000.0), "steps"),
        (_bent(iops=-1.0), None),
        ({"steps": told.STEPS * 17}, None),
        ({"alone": {**told.commits(10.0), "slowest_writer_per_s": 11.0}}, "alone"),
        ({"kind": "other"}, None),
        ({"id": "x"}, None),
    ],
    ids=["hist", "bucket", "slow", "iops", "negative", "too many", "slowest", "kind", "id"],
)
def test_what_cannot_be_is_refused_with_its_value(change: Any, field: str | None, tell: Tell) -> None:
    answer = tell(told.fsync(**change) if "alone" in change else told.steps(**change))
    assert answer.status_code == 422 and answer.json()["error"]["message"]
    assert field is None or answer.json()["error"]["field"] == field
    assert not Probe.objects.exists()


@pytest.mark.parametrize("name", ["started_at", "ended_at"])
@pytest.mark.parametrize("off", [600, -40 * 86_400], ids=["ahead", "long ago"])
def test_a_clock_that_is_far_off_is_refused(name: str, off: int, tell: Tell) -> None:
    assert tell(told.steps(**{name: time.time() + off})).json()["error"]["field"] in ("started_at", "ended_at")


@pytest.mark.parametrize(("body", "status"), [(b"{", 400), (b'{"id": NaN}', 400), (b" " * 600_000, 413)])
def test_what_is_no_json_or_too_large_is_refused(body: bytes, status: int, tell: Tell) -> None:
    assert tell(body).status_code == status


def test_a_compressed_result_is_measured_unpacked(agent: Api) -> None:
    import gzip

    bomb = gzip.compress(b" " * 10_000_000)
    answer = agent.call("POST", "/api/v1/probes", bomb, HTTP_CONTENT_ENCODING="gzip")
    assert answer.status_code == 413


def test_no_machine_tells_more_than_anybody_makes(tell: Tell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST_AN_HOUR", 2)
    monkeypatch.setattr(pace, "MOST_A_MINUTE", 5)
    assert [tell(told.steps()).status_code for _ in range(3)] == [201, 201, 429]
    got = [tell(told.steps()) for _ in range(3)]
    assert [one.json()["error"]["message"] for one in got][-1] == "over 5 calls a minute"
    assert got[-1]["Retry-After"]


def test_the_oldest_of_a_disk_are_forgotten(tell: Tell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST_KEPT", 2)
    now = time.time()
    ids = [tell(told.steps(started_at=now - 60 + at, ended_at=now)).json()["id"] for at in range(4)]
    assert [probe.uid.hex for probe in Probe.objects.order_by("started_at")] == ids[2:]


def test_the_list_goes_on_where_a_page_ends(tell: Tell, disk: Disk, api_of: Any, people: People) -> None:
    now = time.time()
    ids = [tell(told.steps(started_at=now - at, ended_at=now)).json()["id"] for at in range(1, 4)]
    api, path, seen = api_of(people.a), f"/api/v1/disks/{disk.pk}/probes?limit=2", []
    page = api.get(path).json()
    seen += [item["id"] for item in page["items"]]
    page = api.get(f"{path}&cursor={page['next_cursor']}").json()
    assert seen + [item["id"] for item in page["items"]] == ids and page["next_cursor"] is None


def test_its_shapes_are_in_the_document(api_of: Any) -> None:
    document = json.loads(api_of(None).get("/api/v1/openapi.json").content)
    assert {"Steps", "Fsync", "Durability"} <= set(document["components"]["schemas"])
