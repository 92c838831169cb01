"""`/metrics`: the NOC sees the line and every disk, a customer their own disks, nobody nothing."""

from collections.abc import Callable

import pytest
from prometheus_client.parser import text_string_to_metric_families

from sla.domain.states import State
from sla.fleet.models import Disk
from tests.api.test_disks import disks, standing
from tests.conftest import Api, People

pytestmark = pytest.mark.django_db
__all__ = ["disks"]


def families(api: Api) -> dict[str, list]:
    text = api.get("/metrics").content.decode()
    return {family.name: family.samples for family in text_string_to_metric_families(text)}


def test_unknown_is_absent_and_never_zero(disks: dict[str, Disk], people: People, api_of: Callable[..., Api]) -> None:
    standing(disks["machine-a/vda"], State.BREACHED, -0.5)
    got = families(api_of(people.noc))
    (left,) = got["plimsoll_disk_budget_left_ratio"]
    assert left.value == -0.5 and left.labels["machine"] == "machine-a"
    assert not got["plimsoll_disk_sli_ratio"]
    states = {(s.labels["machine"], s.labels["device"]): s.labels["state"] for s in got["plimsoll_disk_state"]}
    assert states["machine-a", "vda"] == "breached" and states["machine-b", "vdb"] == "no_data"
    assert "plimsoll_due_slots" in got


def test_a_customer_sees_their_disks_and_not_the_machinery(
    disks: dict[str, Disk], people: People, api_of: Callable[..., Api]
) -> None:
    got = families(api_of(people.b))
    assert {sample.labels["customer"] for sample in got["plimsoll_disk_state"]} == {"Birch"}
    assert "plimsoll_due_slots" not in got


def test_without_a_token_there_is_nothing(people: People, api_of: Callable[..., Api]) -> None:
    assert api_of(None).get("/metrics").status_code == 401
