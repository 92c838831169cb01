"""Guest and host tell the same story, within what was in flight; where they do not, it is said."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from sla.domain.agreement import Side, compare
from sla.fleet.models import Disk
from sla.scoring.agreement import agreement
from sla.scoring.models import DiskNow
from sla.scoring.score import compute_score
from sla.scoring.services import refresh_stale, settle_due
from tests.scoring.conftest import NOW, keep
from tests.telemetry.machines import minute

Sent = Callable[..., dict[str, Any]]


def side(ios: int, size: int, time_ms: int, in_flight: int = 0) -> Side:
    return Side(*(np.array([value], np.int64) for value in (ios, size, time_ms, in_flight)))


def test_what_was_in_flight_and_a_second_of_the_clocks_explain_a_difference() -> None:
    guest = side(6_000, 60_000, 9_000, in_flight=10)
    assert not compare(guest, side(6_000, 60_000, 7_000)).disputed[0]
    # 100 of the clocks, twice 10 in flight.
    assert not compare(guest, side(5_880, 58_800, 7_000)).disputed[0]
    got = compare(guest, side(5_879, 58_790, 7_000))
    assert got.disputed[0] and not got.ios[0] and got.time[0]
    assert got.beyond_host_ms[0] == 2_000


def test_a_guest_cannot_have_waited_less_than_the_host_served_it() -> None:
    got = compare(side(6_000, 60_000, 5_000), side(6_000, 60_000, 7_000))
    assert got.disputed[0] and got.ios[0] and not got.time[0]
    assert not compare(side(0, 0, 0), side(0, 0, 0)).disputed[0]


@pytest.mark.django_db
def test_both_sides_of_a_disk_stand_beside_each_other(sent: Sent, disk: Disk) -> None:
    frames = [sent(ago) for ago in (3, 4, 5)]
    settle_due()
    assert agreement(disk.pk, NOW - 600, NOW) is None
    lying = minute(NOW - 180, read_ios=[0] * 60, read_ms=[0] * 60, read_sectors=[0] * 60)
    keep(disk, *frames[1:], lying, vantage=2)
    settle_due()
    got = agreement(disk.pk, NOW - 600, NOW)
    assert got is not None
    assert (got["slots"], got["disagree"], got["disputed"]) == (3, 1, True)
    assert [slot["start"] for slot in got["first"]] == [NOW - 180] and "ios" in got["first"][0]["differs"]


@pytest.mark.django_db
def test_what_two_sides_dispute_stands_in_the_score_and_in_the_list(sent: Sent, disk: Disk) -> None:
    frames = [sent(ago) for ago in (3, 4, 5)]
    settle_due()
    period = datetime.fromtimestamp(NOW, UTC).strftime("%Y-%m")
    assert compute_score(disk.pk, period)["disputed"] is None
    keep(disk, *frames[1:], vantage=2)
    settle_due()
    assert compute_score(disk.pk, period)["disputed"] is False
    assert "DISPUTED" not in DiskNow.objects.get().reasons
    keep(disk, minute(NOW - 180, read_ios=[0] * 60, read_ms=[0] * 60, read_sectors=[0] * 60), vantage=2)
    settle_due()
    score = compute_score(disk.pk, period)
    assert score["disputed"] is True
    assert (score["agreement"]["slots"], score["agreement"]["disagree"]) == (3, 1)
    assert "DISPUTED" in DiskNow.objects.get().reasons
    settle_due()
    refresh_stale(silent_s=0)
    assert "DISPUTED" in DiskNow.objects.get().reasons
