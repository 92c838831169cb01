"""Sixty seconds without a completion are unavailability, wherever the clock's minutes cut them."""

from collections.abc import Callable
from typing import Any

import pytest

from sla.domain.states import Reason
from sla.fleet.models import Disk
from sla.scoring.explain import explain_slot
from sla.scoring.models import Slot
from sla.scoring.services import settle_due
from tests.scoring.conftest import NOW

pytestmark = pytest.mark.django_db
Sent = Callable[..., dict[str, Any]]


def stalled(seconds: range) -> dict[str, Any]:
    """A minute whose disk completed nothing in these seconds, with three requests waiting."""

    def within(inside: int, outside: int) -> list[int]:
        return [inside if second in seconds else outside for second in range(60)]

    zero, ten = [0] * 60, within(0, 10)
    counts = {"read_lo": zero, "read_hi": zero, "read_est": zero, "write_lo": zero, "write_hi": zero, "write_est": zero}
    return {
        "read_ios": zero,
        "read_ms": zero,
        "read_sectors": zero,
        "write_ios": ten,
        "write_ms": ten,
        "write_sectors": within(0, 80),
        "in_flight": within(3, 0),
        "labels": counts | {"covered_est": ten, "excess_lo": zero, "excess_hi": zero, "lost_ms": within(1000, 0)},
    }


def send(sent: Sent, ago: int, seconds: range, term: int) -> None:
    change = stalled(seconds)
    slow = [{"term": term, "threshold_ms": 15, "pool_start": 0, **change.pop("labels")}]
    sent(ago, slow=slow, **change)


def reasons() -> list[int]:
    settle_due()
    return list(Slot.objects.order_by("start").values_list("reason", flat=True))


def test_a_stall_over_the_turn_of_a_minute_is_unavailability_where_its_sixtieth_second_ends(
    sent: Sent, disk: Disk, term: int
) -> None:
    send(sent, 5, range(25, 60), term)
    send(sent, 4, range(25), term)
    assert reasons() == [Reason.NONE, Reason.UNAVAILABLE]
    explained = explain_slot(disk.pk, NOW - 240)
    assert explained is not None
    assert "60 s in a row" in str(explained)


def test_a_second_less_is_a_stall_and_no_more(sent: Sent, disk: Disk, term: int) -> None:
    send(sent, 5, range(26, 60), term)
    send(sent, 4, range(25), term)
    assert reasons() == [Reason.NONE, Reason.NONE]


def test_the_minute_before_may_come_late_or_have_been_scored_long_ago(sent: Sent, disk: Disk, term: int) -> None:
    send(sent, 4, range(25), term)
    assert reasons() == [Reason.NONE]
    send(sent, 5, range(10, 60), term)
    assert reasons() == [Reason.NONE, Reason.UNAVAILABLE]
