"""A month under other terms, for those who may see the disk."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import pytest

from sla.fleet.models import Disk
from sla.scoring.services import settle_due
from tests.conftest import Api, People
from tests.scoring.conftest import disk, machine, sent, term

pytestmark = pytest.mark.django_db
ApiOf = Callable[..., Api]
__all__ = ["disk", "machine", "sent", "term"]
MONTH = datetime.now(UTC).strftime("%Y-%m")


def path(where: str, contract: str, period: str = MONTH, **more: Any) -> str:
    return f"/api/v1/{where}?{urlencode({'contract': contract, 'period': period, **more})}"


@pytest.fixture
def minutes(sent: Callable[..., dict[str, Any]]) -> None:
    for ago in (3, 4, 5, 6, 7):
        sent(ago)
    settle_due()


def test_stricter_terms_are_worth_no_more(disk: Disk, minutes: None, people: People, api_of: ApiOf) -> None:
    api = api_of(people.a)
    answers = [
        api.get(path(f"disks/{disk.pk}/what-if", f"99% < {ms} ms at 1000 IOPS", exact=True)).json() for ms in (50, 5, 1)
    ]
    estimates = [answer["sli"]["estimate"] for answer in answers]
    assert estimates == sorted(estimates, reverse=True)
    assert {answer["source"] for answer in answers} == {"frames"}


def test_the_same_terms_are_worth_what_they_were(disk: Disk, minutes: None, people: People, api_of: ApiOf) -> None:
    api = api_of(people.a)
    score = api.get(f"/api/v1/disks/{disk.pk}/score").json()
    again = api.get(path(f"disks/{disk.pk}/what-if", score["contract"], exact=True)).json()
    assert (again["sli"], again["slow"], again["eligible"]) == (score["sli"], score["slow"], score["eligible"])


def test_the_fleet_of_a_stranger_has_no_disks(disk: Disk, minutes: None, people: People, api_of: ApiOf) -> None:
    text = "99% < 10 ms at 2000 IOPS of 16 KiB"
    assert api_of(people.noc).get(path("what-if", text)).json()["disks"] == 1
    assert api_of(people.b).get(path("what-if", text)).json()["disks"] == 0
    assert api_of(people.b).get(path(f"disks/{disk.pk}/what-if", text)).status_code == 404
    assert api_of(None).get(path("what-if", text)).status_code == 401


@pytest.mark.parametrize(
    ("contract", "period", "field", "value"),
    [
        ("99% < 10 msec at 5 IOPS", MONTH, "contract", "msec"),
        ("100% < 10 ms at 5 IOPS", MONTH, "contract", "100"),
        ("99% < 10 ms at 5 IOPS", "2026-13", "period", "2026-13"),
        ("9" * 600, MONTH, "contract", "600"),
    ],
)
def test_a_wrong_question_is_named(
    people: People, api_of: ApiOf, contract: str, period: str, field: str, value: str
) -> None:
    error = api_of(people.noc).get(path("what-if", contract, period)).json()["error"]
    assert error["field"] == field and value in error["message"]
