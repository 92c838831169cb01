"""What a silence hides."""

from hypothesis import given
from hypothesis import strategies as st

from sla.domain.incidents.silence import Hush, Part, covers, hides

A = Part(disk=1, machine=1, pool=7, customer=1)
B = Part(disk=2, machine=2, pool=7, customer=2)


def test_a_silence_of_the_pool_hides_what_happens_in_it() -> None:
    assert hides([Hush(pool=7)], 10, "acute", [A, B])
    assert not hides([Hush(pool=8)], 10, "acute", [A, B])


def test_one_disk_outside_keeps_the_whole_incident_loud() -> None:
    assert hides([Hush(customer=1)], 10, "acute", [A])
    assert not hides([Hush(customer=1)], 10, "acute", [A, B])


def test_two_silences_hide_together_what_neither_hides_alone() -> None:
    assert hides([Hush(customer=1), Hush(customer=2)], 10, "acute", [A, B])


def test_every_field_that_is_set_must_fit() -> None:
    assert covers(Hush(kinds=frozenset({"burn"}), pool=7), 10, "burn", A)
    assert not covers(Hush(kinds=frozenset({"burn"}), pool=7), 10, "acute", A)
    assert not covers(Hush(pool=7, customer=2), 10, "burn", A)


def test_an_incident_may_be_silenced_itself_also_one_without_disks() -> None:
    assert hides([Hush(incident=10)], 10, "watcher", [])
    assert not hides([Hush(incident=11)], 10, "watcher", [])
    assert not hides([Hush(pool=7)], 10, "watcher", [])


def test_no_silence_hides_nothing_and_an_empty_one_is_known_as_such() -> None:
    assert not hides([], 10, "acute", [A])
    assert Hush().names_nothing
    assert not Hush(disk=1).names_nothing


PARTS = st.builds(Part, *[st.integers(1, 3)] * 4)
MAYBE = st.none() | st.integers(1, 3)
HUSHES = st.builds(Hush, st.frozensets(st.sampled_from(["acute", "burn"])), MAYBE, MAYBE, MAYBE, MAYBE, MAYBE)


@given(st.lists(HUSHES), st.lists(HUSHES), st.lists(PARTS, min_size=1), PARTS)
def test_more_silences_hide_more_and_more_disks_are_harder_to_hide(
    some: list[Hush], others: list[Hush], parts: list[Part], another: Part
) -> None:
    if hides(some, 1, "acute", parts):
        assert hides(some + others, 1, "acute", parts)
    if hides(some, 1, "acute", [*parts, another]):
        assert hides(some, 1, "acute", parts)
