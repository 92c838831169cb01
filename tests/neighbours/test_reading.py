"""What pages read: heat, what a calm pool would have noticed, habits, curves around a window."""

from sla.neighbours import reading, services
from sla.neighbours.models import NeighbourWindow
from tests.domain.neighbours.made import slowed
from tests.neighbours.conftest import MINUTES, NOW, House, keep, past


def test_the_heat_map_has_a_row_a_disk_and_the_window_glows(house: House) -> None:
    keep(house, slowed(past(), MINUTES - 30, MINUTES - 20, 2.0))
    services.detect_due()
    got = reading.heat(house.pool.pk, NOW - 3_600, NOW, columns=60)
    assert got["step_s"] == 60
    assert [row["disk"] for row in got["disks"]] == [disk.pk for disk in house.disks]
    assert all(1.5 < value < 3 for value in got["pool"][30:40])
    assert all(value < 1.3 for value in got["pool"][:29])
    hours = reading.heat(house.pool.pk, NOW - 36_000, NOW, columns=10)
    assert (hours["step_s"], len(hours["pool"])) == (3_600, 10)
    assert hours["pool"][0] is None


def test_a_calm_pool_says_the_least_it_would_have_seen(house: House) -> None:
    keep(house, past())
    services.detect_due()
    assert 1.19 < reading.least_visible([house.pool.pk])[house.pool.pk] < 1.5
    assert reading.least_visible([0]) == {}


def test_the_week_has_168_hours_and_those_that_were_seen_are_about_one(house: House) -> None:
    keep(house, past())
    services.detect_due()
    hours = reading.week(house.pool.pk, NOW)
    seen = [value for value in hours if value is not None]
    assert len(hours) == 168
    assert 8 <= len(seen) <= 10
    assert all(0.9 < value < 1.1 for value in seen)


def test_curves_reach_half_an_hour_to_both_sides(house: House) -> None:
    keep(house, slowed(past(), MINUTES - 60, MINUTES - 50, 2.0, culprit=3))
    services.detect_due()
    window = NeighbourWindow.objects.get()
    got = reading.curves(window, [(house.disks[3].pk, "suspect"), (house.disks[0].pk, "victim")])
    assert (got["t"][0], got["t"][-1]) == (NOW - 3_600 - 1_800, NOW - 3_000 + 1_800 - 60)
    assert [one["role"] for one in got["disks"]] == ["suspect", "victim"]
    assert all(len(one["iops"]) == len(got["t"]) for one in got["disks"])


def test_a_culprit_that_slows_itself_as_well_is_no_disk_that_is_slow_alone(house: House) -> None:
    slots = slowed(past(), MINUTES - 60, MINUTES - 30, 2.0, culprit=3)
    slots.time_ms[3, -60:-30] *= 4
    keep(house, slots)
    services.detect_due()
    assert [window.disk for window in NeighbourWindow.objects.all()] == [None]
