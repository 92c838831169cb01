"""Which incident takes a disk's trouble."""

from hypothesis import given
from hypothesis import strategies as st

from sla.domain.incidents.group import WIDE, YOUNG_S, Group, choose, in_the_way, kind_of, own_key, shared_key, site_of
from sla.domain.incidents.words import Kind

NOW = 1_000_000.0


def group(incident: int = 1, *, disks: set[int], total: int | None = None, age: float = 0, pool: int = 7) -> Group:
    site = site_of(pool, 0)
    return Group(incident, shared_key(site), site, NOW - age, disks, total or len(disks))


def test_a_second_disk_of_the_pool_within_ten_minutes_is_the_same_trouble() -> None:
    young = group(disks={1}, age=YOUNG_S - 1)
    assert choose([young], 2, "pool:7", NOW) is young


def test_later_it_is_another_trouble() -> None:
    assert choose([group(disks={1}, age=YOUNG_S)], 2, "pool:7", NOW) is None


def test_once_three_disks_are_in_it_whatever_goes_bad_in_the_pool_joins() -> None:
    wide = group(disks={1}, total=WIDE, age=86_400)
    assert choose([wide], 9, "pool:7", NOW) is wide


def test_disks_of_another_pool_stay_apart() -> None:
    assert choose([group(disks={1, 2, 3})], 9, "pool:8", NOW) is None


def test_what_lies_above_several_pools_is_one_trouble_whichever_it_hits() -> None:
    site = site_of(7, 0)
    above = Group(1, shared_key(site), site, NOW - 86_400, {1}, 1, wider=True)
    assert choose([above], 9, "pool:8", NOW, wider=True) is above
    assert choose([above], 9, "pool:8", NOW) is None
    assert choose([group(disks={1}, age=86_400)], 9, "pool:8", NOW, wider=True) is None


def test_a_disk_stays_with_its_own_incident_even_beside_a_wide_one() -> None:
    own, wide = group(1, disks={5}, age=86_400), group(2, disks={1, 2, 3})
    assert choose([wide, own], 5, "pool:7", NOW) is own


def test_without_a_pool_the_machine_is_what_disks_share() -> None:
    assert site_of(None, 4) == "machine:4"
    assert site_of(7, 4) == "pool:7"


def test_the_older_narrow_incident_gives_the_key_of_its_pool_away() -> None:
    old = group(disks={1}, age=86_400)
    assert in_the_way([old], "pool:7") is old
    assert in_the_way([old], "pool:8") is None
    assert own_key(1) != shared_key("pool:7")


def test_a_wide_trouble_in_a_window_is_named_after_its_cause_and_a_lone_disk_after_itself() -> None:
    assert kind_of({Kind.ACUTE, Kind.CONTENTION}, "neighbour", wide=True) is Kind.CONTENTION
    assert kind_of({Kind.ACUTE}, "backend", wide=True) is Kind.BACKEND
    assert kind_of({Kind.ACUTE}, "backend", wide=False) is Kind.ACUTE
    assert kind_of({Kind.CONTENTION}, "neighbour", wide=False) is Kind.CONTENTION
    assert kind_of({Kind.BURN, Kind.STALL}, None, wide=True) is Kind.STALL
    assert kind_of(set(), None, wide=True) is None


@given(st.lists(st.floats(0, 400), min_size=1, max_size=60), st.integers(0, 10))
def test_disks_of_a_pool_that_fail_one_after_the_other_make_one_incident(gaps: list[float], seed: int) -> None:
    """However long the row, as long as no gap reaches ten minutes."""
    open_groups: list[Group] = []
    at = NOW
    for disk, gap in enumerate(gaps):
        at += gap
        taken = choose(open_groups, disk, "pool:7", at)
        if taken is None:
            open_groups.append(Group(seed + len(open_groups), "slow:pool:7", "pool:7", at, {disk}, 1))
        else:
            grown = Group(taken.incident, taken.key, taken.site, at, {*taken.active, disk}, taken.total + 1)
            open_groups[open_groups.index(taken)] = grown
    assert len(open_groups) == 1
