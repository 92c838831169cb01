"""The evidence of guest and host beside each other: what each saw, how finely, and whether its own figures agree."""

from collections.abc import Callable
from typing import Any

import pytest

from sla.fleet.models import Disk
from sla.scoring.services import settle_due
from sla.scoring.sides import sides
from tests.scoring.conftest import NOW, keep

pytestmark = pytest.mark.django_db
Sent = Callable[..., dict[str, Any]]


def test_a_disk_that_only_its_guest_measures_has_one_side(sent: Sent, disk: Disk) -> None:
    sent(3)
    settle_due()
    assert sides(disk.pk, NOW - 600, NOW) is None


def test_each_side_says_what_it_saw(sent: Sent, disk: Disk) -> None:
    frames = [sent(ago) for ago in (3, 4, 5)]
    keep(disk, *frames[1:], vantage=2)
    settle_due()
    got = sides(disk.pk, NOW - 600, NOW)
    assert got is not None
    assert (got["guest"]["minutes"], got["host"]["minutes"]) == (3, 2)
    assert (got["guest"]["observed_s"], got["host"]["observed_s"]) == (180, 120)
    assert got["guest"]["ios"] == sum(sum(one["read_ios"]) + sum(one["write_ios"]) for one in frames)
    assert got["both"]["slots"] == 2 and not got["both"]["disputed"]
    assert got["both"]["time_ms"]["guest"] == got["both"]["time_ms"]["host"]
