"""What does a policy's term say?"""

import pytest

from plimsoll_agent.core.terms import Term

POLICY = {
    "term": 7,
    "threshold_ms": 15,
    "read_threshold_ms": None,
    "write_threshold_ms": None,
    "iops": 1000,
    "depth": 13,
    "tolerance": 0.1,
    "io_unit_bytes": 262144,
}


def test_one_threshold_holds_for_both_directions() -> None:
    assert Term.from_policy(POLICY) == Term(7, 15_000, 15_000, 1000, 13, 100_000, 262_144)


def test_directions_may_differ_and_fractions_of_a_ms_survive() -> None:
    term = Term.from_policy({**POLICY, "threshold_ms": None, "read_threshold_ms": 0.4, "write_threshold_ms": 10})
    assert (term.read_threshold_us, term.write_threshold_us) == (400, 10_000)


def test_a_missing_depth_is_what_may_wait_at_the_ideal_disk() -> None:
    assert Term.from_policy({**POLICY, "depth": None}).depth == 13


def test_an_objective_is_taken_where_the_server_names_one() -> None:
    assert Term.from_policy(POLICY).objective_ppm == 990_000
    assert Term.from_policy({**POLICY, "objective_ppm": 999_900}).objective_ppm == 999_900


@pytest.mark.parametrize(
    "wrong",
    [
        {"iops": 0},
        {"depth": -1},
        {"tolerance": 1},
        {"threshold_ms": None},
        {"threshold_ms": 0},
        {"iops": "9"},
        {"objective_ppm": 10**6},
    ],
)
def test_an_impossible_figure_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"iops|depth|tolerance|threshold|objective"):
        Term.from_policy({**POLICY, **wrong})
