"""Lost time that burns a budget."""

from sla.domain.incidents.fleet import our_fault
from sla.domain.incidents.lost import LOST_WINDOWS_S, firing_lost

HOUR_MS = 3_600_000


def test_windows_are_those_of_the_paging_rules() -> None:
    assert LOST_WINDOWS_S == (300, 1_800, 3_600, 21_600)


def test_a_fifth_of_the_time_lost_for_an_hour_fires_both_paging_rules() -> None:
    windows = {length: (length * 200, length * 1_000) for length in LOST_WINDOWS_S}
    assert firing_lost(windows, 990_000) == {"fast", "medium"}


def test_a_single_hiccup_of_four_seconds_wakes_nobody() -> None:
    windows = {300: (4_000, 20_000), 3_600: (4_000, 20_000), 1_800: (4_000, 20_000), 21_600: (4_000, 20_000)}
    assert firing_lost(windows, 990_000) == set()


def test_it_clears_at_seven_tenths_and_not_before() -> None:
    # 12 % of the time is 12 times the budget of 1 %: under 14.4, over 0.7 x 14.4.
    windows = {length: (length * 120, length * 1_000) for length in LOST_WINDOWS_S}
    assert "fast" not in firing_lost(windows, 990_000)
    assert "fast" in firing_lost(windows, 990_000, frozenset({"fast"}))


def test_when_most_of_a_fleet_is_silent_the_fault_is_ours() -> None:
    assert our_fault(silent=6, live=10)
    assert not our_fault(silent=5, live=10)
    assert not our_fault(silent=3, live=3)
