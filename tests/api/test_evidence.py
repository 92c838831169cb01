"""Slots, seconds, score, explanation and tipping point of one disk: for those who may see it, with clear refusals."""

from collections.abc import Callable
from typing import Any

import pytest

from sla.fleet.models import Disk
from sla.scoring.services import settle_due
from tests.conftest import Api, People
from tests.scoring.conftest import NOW, disk, machine, sent, term

pytestmark = pytest.mark.django_db
ApiOf = Callable[..., Api]
__all__ = ["disk", "machine", "sent", "term"]


@pytest.fixture
def frame(sent: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    frame = sent(5)
    sent(4)
    settle_due()
    return frame


def test_a_minute_is_the_sum_of_its_seconds(disk: Disk, frame: dict[str, Any], people: People, api_of: ApiOf) -> None:
    api, start = api_of(people.a), frame["start"]
    (slot,) = api.get(f"/api/v1/disks/{disk.pk}/slots?from={start}&to={start + 60}").json()["items"]
    seconds = api.get(f"/api/v1/disks/{disk.pk}/seconds?from={start}&to={start + 60}").json()["items"]
    assert slot["ios"] == sum(second["ios"] for second in seconds) == sum(frame["read_ios"]) + sum(frame["write_ios"])
    assert slot["slow"]["estimate"] == sum(second["slow"]["estimate"] for second in seconds)
    assert slot["eligible"] == sum(second["eligible"] for second in seconds)


def test_the_score_and_its_explanation_agree(disk: Disk, frame: dict[str, Any], people: People, api_of: ApiOf) -> None:
    api = api_of(people.a)
    score = api.get(f"/api/v1/disks/{disk.pk}/score").json()
    explained = api.get(f"/api/v1/disks/{disk.pk}/explain?slot={frame['start'] + 30}").json()
    assert score["sli"]["low"] <= score["sli"]["estimate"] <= score["sli"]["high"]
    assert score["budget_left_ratio"]["low"] <= score["budget_left_ratio"]["high"]
    assert len(explained["seconds"]) == 60 and explained["because"]


def test_the_tipping_point_says_what_was_not_reached(
    disk: Disk, frame: dict[str, Any], people: People, api_of: ApiOf
) -> None:
    answer = api_of(people.a).get(f"/api/v1/disks/{disk.pk}/tipping-point?days=1&load=5000").json()
    assert answer["minutes"] == 2 and answer["points"] and answer["threshold_ms"] == 15
    assert answer["knee"] == {"mean_iops": None, "p99_iops": None} and answer["disks_needed"] is None


@pytest.mark.parametrize("path", ["slots", "seconds", "score", "explain?slot=0", "tipping-point"])
def test_the_evidence_of_another_customers_disk_does_not_exist(
    disk: Disk, people: People, api_of: ApiOf, path: str
) -> None:
    assert api_of(people.b).get(f"/api/v1/disks/{disk.pk}/{path}").status_code == 404
    assert api_of(people.stranger).get(f"/api/v1/disks/{disk.pk}/{path}").status_code == 404
    assert api_of(None).get(f"/api/v1/disks/{disk.pk}/{path}").status_code == 401


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("slots?from=100&to=50", "100"),
        ("slots?from=0&to=99999999999", "99999999999"),
        ("slots?from=0&to=4000000000", "one answer holds"),
        ("seconds?from=0&to=7201", "7201"),
        ("slots?vantage=moon", "moon"),
        ("score?period=2026-13", "2026-13"),
        ("explain", "slot"),
        ("explain?slot=-5", "-5"),
        ("tipping-point?days=0", "0"),
        ("tipping-point?load=-1", "-1"),
    ],
)
def test_a_wrong_question_is_named_with_its_value(
    disk: Disk, people: People, api_of: ApiOf, query: str, value: str
) -> None:
    response = api_of(people.a).get(f"/api/v1/disks/{disk.pk}/{query}")
    assert response.status_code == 422
    assert value in response.json()["error"]["message"]


def test_a_minute_nobody_saw_is_not_explained(disk: Disk, people: People, api_of: ApiOf) -> None:
    assert api_of(people.a).get(f"/api/v1/disks/{disk.pk}/explain?slot={NOW - 9000}").status_code == 404
