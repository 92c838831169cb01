"""Proof, estimate, budgets, states: hand-computed, and what must hold for any figures."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sla.domain.credit import credit
from sla.domain.display import burn, percent, ratio
from sla.domain.fleet import Fleet, judge_fleet
from sla.domain.states import Case, Grade, Reason, State
from sla.domain.verdict import (
    Interval,
    Part,
    Sums,
    breach_proved,
    budget,
    judge_now,
    judge_period,
    met_proved,
    sli,
    slot_budget,
    total_of,
)


def part(low: int, slow: int, high: int, eligible: int, *, spread: int = 0, ppm: int = 10_000, **more: int) -> Part:
    sums = {"observed_s": 3_600, "ios": eligible + spread, **more}
    return Part(
        ppm,
        Sums(
            eligible_low=eligible - spread,
            eligible=eligible,
            eligible_high=eligible + spread,
            slow_low=low,
            slow=slow,
            slow_high=high,
            **sums,
        ),
    )


@st.composite
def parts(draw: st.DrawFn) -> Part:
    e = sorted(draw(st.lists(st.integers(0, 10**6), min_size=3, max_size=3)))
    s = sorted(draw(st.lists(st.integers(0, e[0]), min_size=3, max_size=3)))
    met, proved = sorted(draw(st.lists(st.integers(0, 500), min_size=2, max_size=2)), reverse=True)
    bad, bad_proved = sorted(draw(st.lists(st.integers(0, 500), min_size=2, max_size=2)), reverse=True)
    observed = draw(st.integers(0, 86_400))
    sums = Sums(
        observed_s=observed,
        ios=e[2] + draw(st.sampled_from([0, 10, 10**8])),
        eligible_low=e[0],
        eligible=e[1],
        eligible_high=e[2],
        slow_low=s[0],
        slow=s[1],
        slow_high=s[2],
        lost_ms=draw(st.integers(0, observed * 20)),
        slots_met=met,
        slots_met_proved=proved,
        slots_breached=bad,
        slots_breached_proved=bad_proved,
    )
    return Part(draw(st.sampled_from([1, 100, 10_000, 200_000, 999_999])), sums)


@settings(deadline=None)
@given(parts())
def test_the_estimate_lies_between_the_ends_and_proofs_exclude_each_other(one: Part) -> None:
    got = sli([one])
    known = [end for end in (got.low, got.estimate, got.high) if end is not None]
    assert known == sorted(known) and all(0 <= end <= 1 for end in known)
    assert (got.low is None) == (one.sums.eligible_low == 0)
    assert not (met_proved([one]) and breach_proved([one]))


@settings(deadline=None)
@given(parts())
def test_budget_spent_and_left_make_the_budget(one: Part) -> None:
    got = budget([one])
    if got.left.estimate is not None:
        assert got.spent + got.left.estimate * got.total == got.total
        slots = slot_budget([one])
        if slots.left.estimate is not None:
            assert slots.spent + slots.left.estimate * slots.total == slots.total


@settings(deadline=None)
@given(st.lists(parts(), max_size=5), st.permutations(range(5)))
def test_sums_do_not_depend_on_the_order_they_are_added_in(found: list[Part], order: list[int]) -> None:
    shuffled = [found[i] for i in order if i < len(found)]
    assert total_of(shuffled) == total_of(found) and sli(shuffled) == sli(found)


@settings(deadline=None)
@given(st.lists(parts(), min_size=1, max_size=30), st.booleans(), st.booleans(), st.booleans())
def test_the_fleet_is_judged_as_its_disks_are(found: list[Part], by_slots: bool, closed: bool, burning: bool) -> None:
    def column(name: str) -> np.ndarray:
        return np.array([getattr(one.sums, name) for one in found], np.int64)

    names = [name for name in Fleet.__dataclass_fields__ if hasattr(Sums(), name)]
    size = len(found)
    fleet = Fleet(
        slow_ppm=np.array([one.slow_ppm for one in found]),
        min_coverage_ppm=np.full(size, 500_000),
        min_eligible=np.full(size, 1_000),
        by_slots=np.full(size, by_slots),
        coverage_ppm=np.array([one.sums.observed_s * 10 for one in found]),
        **{name: column(name) for name in names},
    )
    verdicts = judge_fleet(fleet, closed=closed, burning=np.full(size, burning))
    for place, one in enumerate(found):
        alone = judge_period(
            [one],
            coverage_ppm=one.sums.observed_s * 10,
            min_coverage_ppm=500_000,
            min_eligible=1_000,
            budget_by="slots" if by_slots else "both",
            closed=closed,
            firing=["fast"] if burning else [],
        )
        assert (State(verdicts.state[place]), bool(verdicts.proved[place])) == (alone.state, alone.proved)


def period(*found: Part, **more: object) -> tuple[str, bool, tuple[str, ...]]:
    given_ = {"coverage_ppm": 1_000_000, "min_coverage_ppm": 950_000, "min_eligible": 1_000, **more}
    verdict = judge_period(found, **given_)  # type: ignore[arg-type]
    return verdict.word, verdict.proved, verdict.reasons


def test_states_of_a_period_first_that_fits() -> None:
    assert period(part(0, 50, 60, 10_000)) == ("met", True, ())
    assert period(part(0, 50, 150, 10_000)) == ("likely met", False, ())
    assert period(part(0, 101, 150, 10_000)) == ("likely breached", False, ("SLOW",))
    assert period(part(101, 110, 150, 10_000)) == ("breached", True, ("SLOW",))
    # Exactly the objective is kept: slow / eligible = 1 %.
    assert period(part(100, 100, 100, 10_000))[0] == "at_risk"
    assert period(part(100, 100, 100, 10_000), closed=True) == ("met", True, ())
    assert period(part(0, 85, 90, 10_000))[2] == ("BUDGET_LOW",)
    assert period(part(0, 1, 2, 10_000), firing=["slow"])[2] == ("BURNING_SLOW",)
    assert period(part(0, 0, 0, 10_000), coverage_ppm=940_000) == ("no_data", True, ("LOW_COVERAGE",))
    assert period(part(0, 0, 0, 999)) == ("met", True, ("LOW_VOLUME",))
    assert period(part(0, 0, 0, 999), closed=True) == ("no_data", True, ("LOW_VOLUME",))
    assert period(part(0, 0, 0, 49, ios=1_000))[0] == "excused"
    assert period(part(0, 0, 0, 0, ios=0)) == ("idle", True, ("LOW_VOLUME",))
    # A breach outranks missing data: what was seen is enough. That it was little is said beside it.
    few = part(0, 50, 60, 300, ios=10**9)
    assert period(few, closed=True) == ("likely breached", False, ("SLOW", "LOW_VOLUME"))
    assert period(part(500, 500, 500, 10_000), coverage_ppm=100_000)[0] == "breached"


def test_lost_time_is_a_breach_of_its_own_and_proof() -> None:
    assert period(part(0, 0, 0, 10_000, lost_ms=36_000))[0] == "at_risk"
    assert period(part(0, 0, 0, 10_000, lost_ms=36_001)) == ("breached", True, ("LOST_TIME",))
    assert period(part(0, 0, 0, 0, ios=90_000, lost_ms=36_001))[0] == "breached"


def test_versions_in_one_period_add_their_budgets() -> None:
    # 5 % of 10,000 and 0.1 % of 10,000: 510 slow I/Os are allowed together.
    loose = part(300, 300, 300, 10_000, ppm=50_000)
    assert period(loose, part(0, 2, 2, 10_000, ppm=1_000))[0] == "met"
    assert period(loose, part(210, 210, 210, 10_000, ppm=1_000), closed=True)[0] == "met"
    assert period(loose, part(211, 211, 211, 10_000, ppm=1_000))[0] == "breached"


def test_a_slot_budget_decides_only_where_the_contract_says_so() -> None:
    slots = {"slots_met": 95, "slots_met_proved": 95, "slots_breached": 5, "slots_breached_proved": 5}
    one = part(0, 0, 0, 10_000, **slots)
    assert period(one)[0] == "met"
    assert period(one, budget_by="slots") == ("breached", True, ("SLOW_SLOTS",))


def test_states_of_a_disk_now() -> None:
    calm = {
        "in_maintenance": False,
        "silent_s": 30.0,
        "period": State.MET,
        "paging": False,
        "idle_s": 0,
        "excused_s": 0,
    }

    def now(**change: object) -> str:
        return judge_now(**{**calm, **change}).word  # type: ignore[arg-type]

    assert now() == "met"
    assert now(in_maintenance=True, silent_s=None) == "maintenance"
    assert now(silent_s=None) == now(silent_s=181) == "no_data"
    assert now(period=State.BREACHED) == now(paging=True) == "breached"
    assert now(period=State.AT_RISK, idle_s=9_999) == "at_risk"
    assert now(idle_s=900) == "idle" and now(idle_s=899) == "met"
    assert now(excused_s=900) == "excused"


def test_credits_are_paid_on_the_proved_end_and_the_highest_tier_only() -> None:
    tiers = ((990_000, 10), (980_000, 30), (950_000, 100))
    wide = Interval(Fraction(94, 100), Fraction(985, 1000), Fraction(989, 1000))
    got = credit(wide, tiers, judged=True, fee_cents=9_999)
    assert (got.proved_percent, got.up_to_percent, got.proved_cents, got.up_to_cents) == (10, 100, 999, 9_999)
    assert credit(wide, tiers, judged=False).up_to_percent == 0
    assert credit(Interval(None, None, None), tiers, judged=True).proved_percent == 0
    exactly = Interval(Fraction(99, 100), Fraction(99, 100), Fraction(99, 100))
    assert credit(exactly, tiers, judged=True).up_to_percent == 0


def test_display_never_rounds_up() -> None:
    assert percent(Fraction(99_996, 100_000)) == "99.99" and percent(Fraction(1)) == "100.00"
    assert ratio(Fraction(2, 3), 2) == 0.66 and ratio(Fraction(-1, 3), 2) == -0.34 and ratio(None) is None
    assert burn(Fraction(101, 100)) == 1.1 and burn(None) is None
    assert percent(None) is None and percent(Fraction(-38, 100), 0) == "-38"


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (State, {"MAINTENANCE": 1, "NO_DATA": 2, "IDLE": 3, "BREACHED": 4, "EXCUSED": 5, "MET": 6, "AT_RISK": 7}),
        (
            Case,
            {"NORMAL": 1, "PRO_RATA": 2, "EXCUSED": 3, "UNDER_DELIVERY": 4, "STALLED": 5, "IDLE": 6, "UNKNOWN": 7},
        ),
        (Grade, {"A": 1, "B": 2, "C": 3}),
        (
            Reason,
            {"NONE": 0, "NO_CONTRACT": 1, "READS_OUTSIDE": 2, "BLOCKS_OUTSIDE": 3, "LOAD_OUTSIDE": 4, "UNAVAILABLE": 5},
        ),
    ],
)
def test_stored_values_never_change(words: type, values: dict[str, int]) -> None:
    assert {member.name: member.value for member in words} == values  # type: ignore[attr-defined]
