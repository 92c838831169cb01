"""From slots to windows: found once, told once, the same on every run."""

from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from sla.domain.neighbours.slots import PoolSlots
from sla.fleet.models import Disk, Pool, PoolMembership
from sla.neighbours import services
from sla.neighbours.figures import unpack_minute
from sla.neighbours.models import NeighbourWindow, PoolBaseline, PoolMinute, PoolState, Role
from sla.neighbours.signals import window_changed
from sla.neighbours.store import moment
from sla.scoring.models import DiskNow, Slot
from tests.domain.neighbours.made import slowed
from tests.neighbours.conftest import MINUTES, NOW, House, keep, past


@pytest.fixture
def told() -> Any:
    heard: list[tuple[str, int]] = []

    def hear(window: NeighbourWindow, change: str, **rest: Any) -> None:
        heard.append((change, window.pk))

    window_changed.connect(hear)
    yield heard
    window_changed.disconnect(hear)


PART = ("role", "score", "share", "lag_s", "slowdown")


def found() -> list[dict[str, Any]]:
    """All windows with their disks, without what a run stamps on them."""
    return [
        {
            **{name: getattr(window, name) for name in ("pool_id", "disk_id", "start", "end", "severity", "cause")},
            "confidence": window.confidence,
            "evidence": window.evidence,
            "disks": list(
                window.disks.order_by("disk").values_list("disk", "role", "score", "share", "lag_s", "slowdown")
            ),
        }
        for window in NeighbourWindow.objects.order_by("start", "disk")
    ]


def seconds(window: NeighbourWindow) -> tuple[int, int | None]:
    return int(window.start.timestamp()), int(window.end.timestamp()) if window.end else None


def test_a_neighbours_flood_is_a_window_with_its_name(house: House, told: list[tuple[str, int]]) -> None:
    slots = past()
    keep(house, slowed(slots, MINUTES - 30, MINUTES - 20, 2.0, culprit=5))
    done = services.detect_due()
    window = NeighbourWindow.objects.get()
    assert done.windows == 1
    assert seconds(window) == (NOW - 1_800, NOW - 1_200)
    assert (window.cause, window.pool, window.disk) == ("neighbour", house.pool, None)
    assert window.confidence >= 0.9
    assert window.severity == pytest.approx(2, rel=0.15)
    suspect = window.disks.get(role=Role.SUSPECT)
    assert suspect.disk == house.disks[5]
    assert suspect.lag_s == 0
    assert 0 < suspect.share < 1
    assert window.disks.filter(role=Role.VICTIM).count() >= 6
    assert "vm-5" in window.evidence["reason"]
    assert window.evidence["word"] == "high"
    assert window.evidence["series"]["disks"][0]["disk"] == house.disks[5].pk
    assert [change for change, _ in told] == ["opened", "closed"]


def test_a_slow_back_end_names_nobody(house: House) -> None:
    keep(house, slowed(past(), MINUTES - 30, MINUTES - 20, 2.0))
    services.detect_due()
    window = NeighbourWindow.objects.get()
    assert window.cause == "backend"
    assert not window.disks.filter(role=Role.SUSPECT).exists()
    assert "no single culprit" in window.evidence["reason"]


def test_a_calm_pool_says_what_it_would_have_seen(house: House) -> None:
    keep(house, past())
    services.detect_due()
    assert not NeighbourWindow.objects.exists()
    assert 1.19 < PoolBaseline.objects.order_by("at").last().least_visible < 1.5


def test_minute_by_minute_is_the_same_as_all_at_once(
    house: House, told: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    slots = slowed(past(), MINUTES - 30, MINUTES - 20, 2.0, culprit=5)
    keep(house, slots.between(0, MINUTES - 40))
    clock = NOW - 2_400
    moments = {"now": clock}
    monkeypatch.setattr(timezone, "now", lambda: moment(moments["now"] + 20))
    services.detect_due()
    for minute in range(MINUTES - 40, MINUTES):
        keep(house, slots.between(minute, minute + 1))
        moments["now"] = clock + 60 * (minute - MINUTES + 41)
        services.detect_due()
        if minute == MINUTES - 29:
            # Two whole minutes after its onset the window is there.
            assert [change for change, _ in told] == ["opened"]
            assert NeighbourWindow.objects.get().end is None
    assert PoolMinute.objects.count() == MINUTES
    live = found()
    assert [change for change, _ in told].count("opened") == 1
    assert [change for change, _ in told][-1] == "closed"
    NeighbourWindow.objects.all().delete()
    call_command("detect_neighbours", "--from", str(NOW - 3_600), "--to", str(NOW))
    assert found() == live


def test_running_it_again_changes_nothing_and_tells_nobody(house: House, told: list[tuple[str, int]]) -> None:
    keep(house, slowed(past(), MINUTES - 30, MINUTES - 20, 2.0, culprit=5))
    services.detect_due()
    before, stamps = found(), list(NeighbourWindow.objects.values_list("pk", "updated_at"))
    heard = len(told)
    services.detect_due()
    for start in (NOW - MINUTES * 60, NOW - 3_600, NOW - 1_500):
        call_command("detect_neighbours", "--from", str(start), "--to", str(NOW - 1_380), "--pool", "ssd-1")
        assert found() == before
    assert list(NeighbourWindow.objects.values_list("pk", "updated_at")) == stamps
    assert len(told) == heard


def test_a_window_whose_slots_were_corrected_goes_away(house: House) -> None:
    quiet = past()
    keep(house, slowed(quiet, MINUTES - 30, MINUTES - 20, 2.0))
    services.detect_due()
    assert NeighbourWindow.objects.count() == 1
    Slot.objects.all().delete()
    keep(house, quiet)
    call_command("detect_neighbours", "--from", str(NOW - 3_600), "--to", str(NOW))
    assert not NeighbourWindow.objects.exists()


def test_one_slow_disk_has_a_window_of_its_own(house: House) -> None:
    slots = past()
    slots.time_ms[2, -40:-20] *= 4
    keep(house, slots)
    services.detect_due()
    window = NeighbourWindow.objects.get()
    assert (window.disk, window.cause, window.pool) == (house.disks[2], "disk", house.pool)
    assert list(window.disks.values_list("disk", "role")) == [(house.disks[2].pk, "victim")]


@pytest.mark.parametrize(("times", "windows"), [(2, 0), (40, 1)])
def test_a_disk_at_its_own_peak_is_a_window_only_beyond_its_contract(house: House, times: int, windows: int) -> None:
    slots = past()
    for column in (slots.ios, slots.size_bytes, slots.time_ms):
        column[2, -40:-20] *= 3
    slots.time_ms[2] *= 2 / np.median(slots.time_ms[2] / slots.ios[2])  # 2 ms when it is calm
    slots.time_ms[2, -40:-20] *= times
    keep(house, slots)
    services.detect_due()
    assert [window.cause for window in NeighbourWindow.objects.all()] == ["self"] * windows


def test_a_slowdown_far_below_the_contracts_threshold_hurts_nobody(house: House) -> None:
    slots = slowed(past(), MINUTES - 30, MINUTES - 20, 2.0)
    tiny = PoolSlots(60, slots.starts, slots.ios * 30, slots.size_bytes * 30, slots.time_ms)
    keep(house, tiny)
    services.detect_due()
    assert not NeighbourWindow.objects.exists()


def test_a_disk_that_migrates_is_judged_where_it_lies(house: House) -> None:
    moved = moment(NOW - 6_000)
    PoolMembership.objects.create(disk=house.disks[0], pool=house.pool, valid_from=moment(0), valid_to=moved)
    keep(house, past())
    services.detect_due()
    there = [
        int(minute.start.timestamp())
        for minute in PoolMinute.objects.order_by("start")
        if np.isfinite(unpack_minute(minute.figures)[0, minute.disks.index(house.disks[0].pk)])
    ]
    assert (there[0], there[-1]) == (NOW - 60 * MINUTES, NOW - 6_060)


def test_the_hosts_side_counts_where_there_is_no_guest(house: House) -> None:
    keep(house, past(120), vantage=2)
    services.detect_due()
    assert PoolMinute.objects.count() == 120


def test_a_minute_waits_for_late_disks_but_not_for_silent_ones(house: House) -> None:
    slots = past()
    slots.ios[0, -1] = np.nan
    slots.ios[1, -60:] = np.nan
    keep(house, slots)
    DiskNow.objects.filter(disk=house.disks[0]).update(seen_at=moment(NOW - 60))
    DiskNow.objects.filter(disk=house.disks[1]).update(seen_at=moment(NOW - 3_600))
    services.detect_due()
    assert PoolState.objects.get().through == moment(NOW - 60)


def test_two_workers_do_not_follow_the_same_pool(house: House, django_db_blocker: Any) -> None:
    keep(house, past(100))
    first = services.detect_due()
    assert first.pool_minutes == 100
    assert services.detect_due().pool_minutes == 0


def test_empty_pools_do_not_stand_in_the_way(house: House) -> None:
    for number in range(3):
        empty = Pool.objects.create(name=f"empty-{number}")
        machine = house.disks[0].machine
        Disk.objects.create(machine=machine, identity=f"serial:{number}", device="vdz", serial="", pool=empty)
    keep(house, past(100))
    assert services.detect_due(batch=1).pool_minutes >= 100
    assert PoolMinute.objects.filter(pool=house.pool).count() == 100


def test_odd_arguments_are_refused(house: House) -> None:
    with pytest.raises(CommandError, match="soon"):
        call_command("detect_neighbours", "--from", "soon", "--to", "5")
    with pytest.raises(CommandError, match="does not lie after"):
        call_command("detect_neighbours", "--from", "10", "--to", "5")
    with pytest.raises(CommandError, match="no pool 'x'"):
        call_command("detect_neighbours", "--from", "2026-11-21T10:00", "--to", "2026-11-21T11:00", "--pool", "x")
