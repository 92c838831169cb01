"""The server witnesses a durability test: in order, across power cuts, and judged once."""

from collections.abc import Callable
from typing import Any

import pytest

from sla.probes.models import Record
from tests.conftest import Api
from tests.probes import told

pytestmark = pytest.mark.django_db
Tell = Callable[..., Any]


@pytest.fixture
def begun(tell: Tell) -> dict[str, Any]:
    sent = told.durability()
    assert tell(sent).status_code == 201
    return sent


@pytest.fixture
def acknowledge(begun: dict[str, Any], tell: Tell) -> Tell:
    def post(first: int, count: int, **more: Any) -> Any:
        return tell({"first": first, "count": count, **more}, f"/{begun['id']}/acks")

    return post


@pytest.fixture
def judge(begun: dict[str, Any], tell: Tell) -> Tell:
    def post(acknowledged: int, *missing: tuple[int, int], boot: str = "boot-2", **change: Any) -> Any:
        lost = sum(high - low + 1 for low, high in missing)
        found = {"checked_at": begun["started_at"] + 20, "boot_id": boot, "acknowledged": acknowledged, "lost": lost}
        return tell({**found, "missing": missing, **change}, f"/{begun['id']}/verdict")

    return post


def test_acknowledgements_add_up_in_order_and_a_repeat_is_harmless(acknowledge: Tell) -> None:
    assert [acknowledge(*one).json()["acknowledged"] for one in ((0, 3), (3, 4), (0, 3), (5, 2), (6, 3))] == [
        3,
        7,
        7,
        7,
        9,
    ]


def test_a_hole_is_refused_and_moves_nothing(acknowledge: Tell) -> None:
    acknowledge(0, 3)
    assert acknowledge(4, 1).status_code == 409
    assert Record.objects.get().acknowledged == 3


def test_nothing_is_acknowledged_after_the_end(acknowledge: Tell) -> None:
    acknowledge(0, 3, ended=True)
    assert acknowledge(0, 3, ended=True).status_code == 200
    assert acknowledge(3, 1).status_code == 409


def test_the_record_is_found_by_its_target_and_only_by_its_machine(
    begun: dict[str, Any], acknowledge: Tell, agent: Api, agent_of: Any
) -> None:
    acknowledge(0, 12)
    path = f"/api/v1/probes/witnessed?target={begun['target']}"
    found = agent.get(path).json()
    assert (found["id"], found["run"], found["acknowledged"]) == (begun["id"], begun["run"], 12)
    assert agent.get(f"/api/v1/probes/witnessed?uid={begun['id']}").json() == found
    other = agent_of("fedcba9876543210", hostname="web-2")
    assert other.get(path).status_code == 404
    assert other.call("POST", f"/api/v1/probes/{begun['id']}/acks", '{"first": 0, "count": 1}').status_code == 404
    assert agent.get("/api/v1/probes/witnessed?target=").status_code == 404


def test_lost_blocks_after_a_restart_are_the_disks(acknowledge: Tell, judge: Tell) -> None:
    acknowledge(0, 20)
    assert judge(20, (3, 3), (17, 19)).json() == {"acknowledged": 20, "lost": 4, "restarted": True}
    record = Record.objects.get()
    assert record.missing == [[3, 3], [17, 19]] and record.probe.ended_at is not None


def test_the_first_look_after_a_restart_stands(acknowledge: Tell, judge: Tell) -> None:
    acknowledge(0, 20)
    assert judge(20, boot="boot-1").json()["restarted"] is False
    assert judge(20).json() == {"acknowledged": 20, "lost": 0, "restarted": True}
    assert judge(20).status_code == 200
    assert judge(20, (0, 19)).status_code == 409
    assert Record.objects.get().lost == 0


@pytest.mark.parametrize(
    ("acknowledged", "missing", "change"),
    [
        (19, [], {}),
        (20, [(5, 4)], {}),
        (20, [(3, 5), (5, 6)], {}),
        (20, [(19, 20)], {}),
        (20, [(1, 2)], {"lost": 1}),
        (20, [], {"lost": 5}),
    ],
    ids=["other count", "backwards", "overlap", "beyond", "too few", "unnamed"],
)
def test_a_verdict_on_other_blocks_is_refused(
    acknowledged: int, missing: Any, change: Any, acknowledge: Tell, judge: Tell
) -> None:
    acknowledge(0, 20)
    assert judge(acknowledged, *missing, **change).status_code == 422
    assert Record.objects.get().checked_at is None
