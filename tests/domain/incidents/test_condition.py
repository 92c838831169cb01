"""What is wrong with a disk, by what was seen of it."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sla.domain.incidents.condition import Condition, Look, Shared, conditions
from sla.domain.incidents.words import Kind, Severity

NOW = 1_000_000.0
CALM = Look(disk=1, machine=2, pool=3, customer=4, seen_at=NOW - 5)


def held(look: Look) -> dict[str, Condition]:
    return {one.family: one for one in conditions(look, NOW)}


def test_a_calm_disk_has_nothing() -> None:
    assert held(CALM) == {}


def test_an_acute_disk_pages_at_once_and_is_suspected_until_a_minute_of_it_is_proved() -> None:
    acute = replace(CALM, acute_at=NOW - 8)
    assert held(acute)["slow"] == Condition("slow", Kind.ACUTE, Severity.PAGE, True, NOW - 8)
    assert held(replace(acute, proved=True))["slow"].suspected is False


def test_acute_ends_after_five_calm_minutes() -> None:
    assert "slow" in held(replace(CALM, acute_at=NOW - 304, seen_at=NOW - 5))
    assert "slow" not in held(replace(CALM, acute_at=NOW - 305, seen_at=NOW - 5))


def test_a_disk_that_went_silent_while_it_was_bad_is_not_calm() -> None:
    look = replace(CALM, acute_at=NOW - 3_600, seen_at=NOW - 3_500, silent=True)
    assert held(look)["slow"].kind is Kind.ACUTE
    assert held(look)["silent"].since == NOW - 3_500


@pytest.mark.parametrize(
    ("delivered", "unavailable", "kind"),
    [
        (None, False, Kind.ACUTE),
        (0.02, False, Kind.STALL),
        (0.41, False, Kind.UNDER_DELIVERY),
        (0.41, True, Kind.STALL),
    ],
)
def test_lost_time_names_the_trouble(delivered: float | None, unavailable: bool, kind: Kind) -> None:
    look = replace(CALM, acute_at=NOW - 1, delivered=delivered, unavailable=unavailable)
    assert held(look)["slow"].kind is kind
    assert held(look)["slow"].suspected is (kind is Kind.ACUTE)


@pytest.mark.parametrize(
    ("rules", "severity"),
    [
        ({"fast"}, Severity.PAGE),
        ({"medium", "slow"}, Severity.PAGE),
        ({"slow"}, Severity.TICKET),
        ({"trickle"}, Severity.TICKET),
    ],
)
def test_burn_rules_page_or_write_a_ticket(rules: set[str], severity: Severity) -> None:
    found = held(replace(CALM, firing=frozenset(rules)))["slow"]
    assert (found.kind, found.severity, found.suspected) == (Kind.BURN, severity, True)


def test_one_disk_has_one_slow_trouble_under_its_most_telling_name_and_worst_severity() -> None:
    look = replace(
        CALM, acute_at=NOW - 30, firing=frozenset({"trickle"}), shared=Shared(9, "backend", NOW - 600), proved=True
    )
    assert held(look) == {"slow": Condition("slow", Kind.ACUTE, Severity.PAGE, False, NOW - 600)}


@pytest.mark.parametrize(
    ("cause", "kind"), [("neighbour", Kind.CONTENTION), ("backend", Kind.BACKEND), ("unknown", Kind.CONTENTION)]
)
def test_a_shared_window_that_hit_the_contract_is_a_ticket(cause: str, kind: Kind) -> None:
    found = held(replace(CALM, shared=Shared(9, cause, NOW - 240)))["slow"]  # type: ignore[arg-type]
    assert (found.kind, found.severity, found.since) == (kind, Severity.TICKET, NOW - 240)


def test_a_lost_month_is_certain_or_likely() -> None:
    assert held(replace(CALM, period_over=True))["period"].suspected is False
    assert held(replace(CALM, period_over=False))["period"].suspected is True


def test_nobody_waits_for_a_disk_that_was_taken_away() -> None:
    look = replace(CALM, acute_at=NOW - 1, silent=True, firing=frozenset({"fast"}), gone=True, period_over=True)
    assert list(held(look)) == ["period"]


def test_a_disk_that_never_sent_anything_is_not_silent() -> None:
    assert held(replace(CALM, seen_at=None, silent=True)) == {}


LOOKS = st.builds(
    Look,
    disk=st.just(1),
    machine=st.just(2),
    pool=st.none() | st.just(3),
    customer=st.just(4),
    seen_at=st.none() | st.floats(NOW - 1e5, NOW),
    silent=st.booleans(),
    acute_at=st.none() | st.floats(NOW - 1e5, NOW),
    firing=st.frozensets(st.sampled_from(["fast", "medium", "slow", "trickle"])),
    firing_lost=st.frozensets(st.sampled_from(["fast", "medium"])),
    delivered=st.none() | st.floats(0, 2),
    unavailable=st.booleans(),
    proved=st.booleans(),
    period_over=st.none() | st.booleans(),
    shared=st.none()
    | st.builds(Shared, st.just(1), st.sampled_from(["neighbour", "backend", "unknown"]), st.just(NOW - 60)),
)


@given(LOOKS)
def test_a_family_holds_once_and_never_begins_in_the_future(look: Look) -> None:
    found = list(conditions(look, NOW))
    assert len({one.family for one in found}) == len(found)
    assert all(one.since <= NOW for one in found)


@given(LOOKS)
def test_more_proof_never_makes_it_less_certain_nor_changes_what_it_is(look: Look) -> None:
    without, with_proof = (held(replace(look, proved=proved)) for proved in (False, True))
    assert without.keys() == with_proof.keys()
    for family, one in without.items():
        assert replace(one, suspected=False) == replace(with_proof[family], suspected=False)
        assert one.suspected >= with_proof[family].suspected
