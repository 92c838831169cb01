"""Slots that come after their minute was followed: the window appears, or is corrected, and is told once."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from sla.domain.neighbours.slots import PoolSlots
from sla.fleet.models import Pool, PoolMembership
from sla.neighbours import services
from sla.neighbours.again import redetect
from sla.neighbours.late import follow_late
from sla.neighbours.models import LateMinutes, NeighbourWindow, PoolMinute, PoolState
from sla.neighbours.signals import window_changed
from sla.neighbours.store import moment
from sla.scoring.models import DiskNow, Slot
from sla.scoring.services import settle_due
from sla.scoring.settle import Batch
from sla.scoring.signals import slots_scored
from sla.scoring.store import transacting
from tests.domain.neighbours.made import slowed
from tests.neighbours.conftest import MINUTES, NOW, House, keep, past
from tests.neighbours.test_detect import found
from tests.scoring.conftest import keep as keep_frames
from tests.telemetry.machines import minute


@pytest.fixture
def told() -> Iterator[list[str]]:
    heard: list[str] = []

    def hear(change: str, **rest: Any) -> None:
        heard.append(change)

    window_changed.connect(hear)
    yield heard
    window_changed.disconnect(hear)


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Let so many seconds pass."""

    def pass_(seconds: int) -> None:
        monkeypatch.setattr(timezone, "now", lambda: moment(NOW + 30 + seconds))

    return pass_


def without(slots: PoolSlots, disks: slice, first: int, last: int) -> PoolSlots:
    ios = slots.ios.copy()
    ios[disks, first:last] = np.nan
    return PoolSlots(60, slots.starts, ios, slots.size_bytes, slots.time_ms)


def only(slots: PoolSlots, disks: slice, first: int, last: int) -> PoolSlots:
    ios = np.full_like(slots.ios, np.nan)
    ios[disks, first:last] = slots.ios[disks, first:last]
    return PoolSlots(60, slots.starts, ios, slots.size_bytes, slots.time_ms)


def scored(house: House, slots: PoolSlots) -> None:
    """These slots come in now, and whoever listens to the scorer hears of them."""
    keep(house, slots)
    seen = np.argwhere(np.isfinite(slots.ios))
    say([(house.disks[row].pk, 1, int(slots.starts[column])) for row, column in seen])


def say(keys: Sequence[tuple[int, int, int]]) -> None:
    with transacting() as cursor:
        slots_scored.send(sender=Batch, cursor=cursor, keys=keys, now=timezone.now().timestamp())


ALL = slice(None)
FLOOD = (MINUTES - 30, MINUTES - 20)


def test_a_window_whose_minutes_all_came_late_appears_and_is_told_once(
    house: House, told: list[str], later: Callable[[int], None]
) -> None:
    slots = slowed(past(), *FLOOD, 2.0, culprit=5)
    keep(house, without(slots, ALL, MINUTES - 35, MINUTES - 15))
    services.detect_due()
    assert not NeighbourWindow.objects.exists()
    scored(house, only(slots, ALL, MINUTES - 35, MINUTES - 15))
    assert follow_late().pool_minutes == 0, "a spool is gathered first"
    later(30)
    done = follow_late()
    assert (done.pool_minutes, done.windows) == (35, 1)
    window = NeighbourWindow.objects.get()
    assert (int(window.start.timestamp()), int(window.end.timestamp())) == (NOW - 1_800, NOW - 1_200)
    assert "vm-5" in window.evidence["reason"]
    assert told == ["opened", "closed"]
    assert PoolState.objects.get().through == moment(NOW)
    assert not LateMinutes.objects.exists()


def test_late_minutes_make_the_same_as_if_they_had_been_there(house: House, later: Callable[[int], None]) -> None:
    slots = slowed(past(), *FLOOD, 2.0, culprit=5)
    keep(house, without(slots, slice(0, 6), MINUTES - 35, MINUTES - 15))
    services.detect_due()
    scored(house, only(slots, slice(0, 6), MINUTES - 35, MINUTES - 15))
    later(30)
    follow_late()
    corrected, minutes = found(), list(PoolMinute.objects.order_by("start").values_list("figures", "signal", "over"))
    redetect(start=NOW - 60 * MINUTES, end=NOW, pool=house.pool.pk)
    assert found() == corrected
    assert list(PoolMinute.objects.order_by("start").values_list("figures", "signal", "over")) == minutes


def test_a_window_that_begins_earlier_than_it_seemed_stays_itself(
    house: House, told: list[str], later: Callable[[int], None]
) -> None:
    slots = slowed(past(), MINUTES - 12, MINUTES, 2.0)
    keep(house, without(slots, ALL, MINUTES - 20, MINUTES - 5))
    services.detect_due()
    before = NeighbourWindow.objects.get()
    assert (before.start, before.end) == (moment(NOW - 300), None)
    scored(house, only(slots, ALL, MINUTES - 20, MINUTES - 5))
    later(30)
    follow_late()
    after = NeighbourWindow.objects.get()
    assert (after.pk, after.start, after.end) == (before.pk, moment(NOW - 720), None)
    assert after.detected_at == before.detected_at
    assert told == ["opened", "updated"]


def test_two_windows_that_were_one_become_the_first(
    house: House, told: list[str], later: Callable[[int], None]
) -> None:
    slots = slowed(past(), MINUTES - 30, MINUTES - 5, 2.0)
    keep(house, without(slots, ALL, MINUTES - 24, MINUTES - 12))
    services.detect_due()
    first, second = NeighbourWindow.objects.order_by("start")
    assert first.end is not None and second.start == moment(NOW - 720)
    scored(house, only(slots, ALL, MINUTES - 24, MINUTES - 12))
    later(30)
    follow_late()
    one = NeighbourWindow.objects.get()
    assert (one.pk, one.start, one.end) == (first.pk, moment(NOW - 1_800), moment(NOW - 300))
    assert told.count("opened") == 2, "those of before, and no third"


def test_late_minutes_that_say_the_same_change_nothing(
    house: House, told: list[str], later: Callable[[int], None]
) -> None:
    slots = slowed(past(), *FLOOD, 2.0, culprit=5)
    keep(house, slots)
    services.detect_due()
    before, heard = found(), list(told)
    stamps = list(NeighbourWindow.objects.values_list("pk", "updated_at"))
    for wait in (30, 60):
        say([(disk.pk, 1, NOW - 60 * ago) for disk in house.disks for ago in range(15, 40)])
        assert LateMinutes.objects.exists()
        later(wait)
        assert follow_late().pool_minutes == 0
    assert (found(), told) == (before, heard)
    assert list(NeighbourWindow.objects.values_list("pk", "updated_at")) == stamps


def test_a_late_run_twice_is_the_same(house: House, told: list[str], later: Callable[[int], None]) -> None:
    slots = slowed(past(), *FLOOD, 2.0, culprit=5)
    keep(house, without(slots, ALL, MINUTES - 35, MINUTES - 15))
    services.detect_due()
    scored(house, only(slots, ALL, MINUTES - 35, MINUTES - 15))
    later(30)
    follow_late()
    before, heard = found(), list(told)
    # As if a worker had died after its marks were made again.
    PoolMinute.objects.filter(start__gte=moment(NOW - 1_800)).update(figures=b"")
    PoolMinute.objects.filter(start__gte=moment(NOW - 1_800)).delete()
    say([(house.disks[0].pk, 1, NOW - 1_800)])
    later(60)
    assert follow_late().pool_minutes == 30
    assert (found(), told) == (before, heard)


def test_a_window_that_late_minutes_deny_goes_away(house: House, later: Callable[[int], None]) -> None:
    quiet = past()
    keep(house, slowed(quiet, *FLOOD, 2.0))
    services.detect_due()
    assert NeighbourWindow.objects.count() == 1
    Slot.objects.filter(start__gte=moment(NOW - 1_860)).delete()
    scored(house, only(quiet, ALL, MINUTES - 31, MINUTES))
    later(30)
    follow_late()
    assert not NeighbourWindow.objects.exists()


@pytest.mark.parametrize(
    ("seen_ago", "minute_ago", "late"),
    [
        (90, 90, False),  # the minute after the last one, in time: its pool waits for it
        (90, 30, False),
        (20, 90, True),  # the disk has sent a later one already
        (None, 60, True),  # new: nobody waited for it
        (400, 60, True),  # was silent: nobody waited for it
        (200, 180, True),  # waited for no longer
        (100_000, 86_500, False),  # more than a day
    ],
    ids=["next", "newer", "hole", "new", "silent", "overdue", "yesterday"],
)
def test_only_slots_that_nobody_waits_for_are_late(
    house: House, seen_ago: int | None, minute_ago: int, late: bool
) -> None:
    disk, now = house.disks[0], NOW + 30
    if seen_ago is not None:
        at = moment(now - seen_ago)
        DiskNow.objects.update_or_create(disk=disk, defaults={"seen_at": at, "updated_at": at})
    say([(disk.pk, 1, (now - minute_ago) // 60 * 60)])
    assert LateMinutes.objects.exists() is late


def test_the_hosts_view_of_a_minute_that_the_guest_told_of_is_not_late(house: House) -> None:
    slots = past(10)
    keep(house, slots)
    say([(house.disks[0].pk, 2, NOW - 300)])
    assert not LateMinutes.objects.exists()
    Slot.objects.all().delete()
    say([(house.disks[0].pk, 2, NOW - 300)])
    assert LateMinutes.objects.exists()


def test_a_disk_that_moved_is_late_where_it_lay(house: House) -> None:
    old = Pool.objects.create(name="old")
    moved = moment(NOW - 600)
    PoolMembership.objects.create(disk=house.disks[0], pool=old, valid_from=moment(0), valid_to=moved)
    PoolMembership.objects.create(disk=house.disks[0], pool=house.pool, valid_from=moved)
    say([(house.disks[0].pk, 1, NOW - 300)])
    assert [mark.pool for mark in LateMinutes.objects.all()] == [house.pool]
    say([(house.disks[0].pk, 1, NOW - 1_200)])
    assert old.pk in LateMinutes.objects.values_list("pool", flat=True)


def test_frames_that_come_late_are_followed_through_scoring(house: House, later: Callable[[int], None]) -> None:
    keep(house, past(100))
    services.detect_due()
    disk = house.disks[0]
    Slot.objects.filter(disk=disk, start=moment(NOW - 300)).delete()
    redetect(start=NOW - 360, end=NOW, pool=house.pool.pk)
    keep_frames(disk, minute(NOW - 300, term=disk.assignments.get().version_id))
    settle_due()
    assert [(mark.first, mark.pool) for mark in LateMinutes.objects.all()] == [(moment(NOW - 300), house.pool)]
    later(30)
    assert follow_late().pool_minutes == 5


def test_marks_of_a_pool_that_nobody_follows_yet_are_dropped(house: House, later: Callable[[int], None]) -> None:
    say([(house.disks[0].pk, 1, NOW - 300)])
    services.detect_due()
    later(30)
    follow_late()
    assert not LateMinutes.objects.exists()
