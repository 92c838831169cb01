"""Who reads what of a neighbour window: the NOC names, a customer its own share, a stranger nothing."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from sla.fleet.models import Disk, Machine, Pool
from sla.neighbours.models import NeighbourWindow, WindowDisk
from tests.conftest import Api, People

pytestmark = pytest.mark.django_db
ApiOf = Callable[..., Api]
PATH = "/api/v1/neighbour-windows"


@pytest.fixture
def disks(people: People) -> dict[str, Disk]:
    pool = Pool.objects.create(name="ssd-3")
    made = {}
    for name, customer in (("a", people.customer_a), ("b", people.customer_b)):
        machine = Machine.objects.create(customer=customer, machine_id=f"machine-{name}0000", hostname=f"vm-{name}")
        made[name] = Disk.objects.create(machine=machine, identity="serial:x", device="vda", serial="x", pool=pool)
    return made


def window(disks: dict[str, Disk], ago_min: int = 30, minutes: int | None = 10, **more: object) -> NeighbourWindow:
    """A suffers, B is the one."""
    now = timezone.now().replace(second=0, microsecond=0)
    start = now - timedelta(minutes=ago_min)
    made = NeighbourWindow.objects.create(
        **{
            "pool": disks["a"].pool,
            "start": start,
            "end": None if minutes is None else start + timedelta(minutes=minutes),
            "severity": 2.1,
            "cause": "neighbour",
            "confidence": 0.97,
            "evidence": {"reason": "vm-b / vda did it", "word": "high"},
            "detected_at": now,
            "updated_at": now,
            **more,
        }
    )
    if made.disk is None:
        WindowDisk.objects.create(window=made, disk=disks["a"], role="victim", score=0.01, share=0.03, slowdown=2.2)
        WindowDisk.objects.create(window=made, disk=disks["b"], role="suspect", score=0.97, share=0.6, lag_s=60)
    else:
        WindowDisk.objects.create(window=made, disk=made.disk, role="victim", slowdown=3.0)
    return made


def listed(api: Api, query: str = "") -> list[int]:
    return [item["id"] for item in api.get(f"{PATH}{query}").json()["items"]]


def test_the_noc_reads_pool_and_suspects(disks: dict[str, Disk], people: People, api_of: ApiOf) -> None:
    made = window(disks)
    (item,) = api_of(people.noc).get(PATH).json()["items"]
    assert (item["id"], item["pool"], item["disk"], item["cause"]) == (made.pk, "ssd-3", None, "neighbour")
    assert item["suspects"] == [{"disk": disks["b"].pk, "score": 0.97, "share": 0.6, "lag_s": 60}]
    assert item["evidence"]["reason"] == "vm-b / vda did it"
    assert item["end"] - item["start"] == 600


@pytest.mark.parametrize("who", ["a", "b"])
def test_a_customer_reads_its_own_share_and_no_name(
    who: str, disks: dict[str, Disk], people: People, api_of: ApiOf
) -> None:
    window(disks)
    answer = api_of(getattr(people, who)).get(PATH)
    (item,) = answer.json()["items"]
    other = {"a": "vm-b", "b": "vm-a"}[who]
    assert other not in answer.content.decode()
    assert (item["pool"], item["suspects"]) == (None, [])
    assert [part["disk"] for part in item["evidence"]["parts"]] == [disks[who].pk]
    assert set(item["evidence"]["parts"][0]) == {"disk", "slowdown", "share"}
    assert ("3 %" if who == "a" else "60 %") in item["evidence"]["reason"]


def test_a_stranger_and_nobody_read_nothing(disks: dict[str, Disk], people: People, api_of: ApiOf) -> None:
    window(disks)
    assert listed(api_of(people.stranger)) == []
    assert api_of(None).get(PATH).status_code == 401


def test_anothers_slow_disk_is_not_there(disks: dict[str, Disk], people: People, api_of: ApiOf) -> None:
    made = window(disks, disk=disks["b"], cause="disk")
    assert listed(api_of(people.b)) == [made.pk]
    assert listed(api_of(people.a)) == []
    assert api_of(people.a).get(f"{PATH}?disk={disks['b'].pk}").status_code == 404


def test_a_customer_cannot_ask_by_pool(disks: dict[str, Disk], people: People, api_of: ApiOf) -> None:
    made = window(disks)
    assert listed(api_of(people.noc), "?pool=ssd-3") == [made.pk]
    assert listed(api_of(people.noc), f"?pool={disks['a'].pool_id}") == [made.pk]
    assert listed(api_of(people.noc), "?pool=other") == []
    assert listed(api_of(people.a), "?pool=ssd-3") == []


def test_time_and_disk_narrow_the_list(disks: dict[str, Disk], people: People, api_of: ApiOf) -> None:
    old, now = window(disks, 300), window(disks, 30, None)
    at, api = int(now.start.timestamp()), api_of(people.noc)
    assert listed(api) == [now.pk, old.pk]
    assert listed(api, f"?from={at - 60}") == [now.pk]
    assert listed(api, f"?to={at}") == [old.pk]
    assert listed(api, f"?disk={disks['a'].pk}&from={at + 10**6}") == [now.pk]
    assert api.get(PATH).json()["items"][0]["end"] is None


def test_pages_go_on_where_they_ended(disks: dict[str, Disk], people: People, api_of: ApiOf) -> None:
    made = [window(disks, ago).pk for ago in (500, 400, 300, 200, 100)]
    api, seen, cursor = api_of(people.noc), [], ""
    while True:
        answer = api.get(f"{PATH}?limit=2&cursor={cursor}").json()
        seen += [item["id"] for item in answer["items"]]
        cursor = answer["next_cursor"]
        if cursor is None:
            break
    assert seen == made[::-1]


def test_a_list_costs_the_same_few_queries_however_long(disks: dict[str, Disk], people: People, api_of: ApiOf) -> None:
    api = api_of(people.a)
    for ago in (100, 200, 300, 400):
        window(disks, ago)
    api.get(PATH)
    with CaptureQueriesContext(
        connection,
    ) as taken:
        api.get(PATH)
    assert len(taken) <= 6


@pytest.mark.parametrize(
    "query", ["?from=x", "?from=-1", "?to=99999999999999", "?from=10&to=10", "?limit=0", "?cursor=x"]
)
def test_odd_questions_are_refused(query: str, people: People, api_of: ApiOf) -> None:
    answer = api_of(people.noc).get(f"{PATH}{query}")
    assert 400 <= answer.status_code < 500
    assert answer.json()["error"]["code"]
