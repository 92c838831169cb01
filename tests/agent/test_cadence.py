"""The ladder of cadences and its budget."""

from plimsoll_agent.cadence import HOLD_S, Cadence, wants_finer
from plimsoll_agent.core.terms import Term

TERM = Term(1, 15_000, 15_000, 1000, 13, 100_000, 262_144)
NONE = (0,) * 10
NS = 1_000_000_000


def climb(cadence, wishes, share):
    """One turn a second at this share of a CPU; answers the cadences."""
    cpu = cadence._cpu_ns or NS
    steps = []
    for wish in wishes:
        cpu += round(share * NS)
        steps.append(cadence.turn(wish, cpu))
    return steps


def test_it_goes_finer_rung_by_rung_while_wanted_and_back_after_a_while():
    steps = climb(Cadence(), [True] * 5 + [False] * (HOLD_S + 5), share=0.002)
    assert steps[:5] == [50, 20, 10, 10, 10]
    assert steps[HOLD_S] == 10 and steps[-1] == 100


def test_a_busy_budget_holds_it_back_and_an_exceeded_one_makes_it_coarser():
    busy = Cadence()
    climb(busy, [False] * 90, share=0.009)
    assert set(climb(busy, [True] * 30, share=0.009)) == {100}, "a rung finer might cost two and a half times as much"
    assert climb(Cadence(), [True] * 120, share=0.10)[-1] == 1000


def test_it_comes_back_from_beyond_the_base_when_there_is_room():
    cadence = Cadence()
    climb(cadence, [False] * 60, share=0.10)
    assert cadence.ms == 1000
    assert climb(cadence, [False] * 120, share=0.001)[-1] == 100


def test_a_fixed_cadence_stays():
    cadence = Cadence(20)
    cadence.follow(100, 10, 20_000)
    assert set(climb(cadence, [True, False] * 30, share=0.5)) == {20}


def test_the_policy_bounds_the_ladder():
    cadence = Cadence()
    cadence.follow(50, 20, 1_000_000)
    assert climb(cadence, [True] * 5, share=0.001) == [20, 20, 20, 20, 20]
    cadence.follow(75, 75, 1_000_000)
    assert cadence.ms == 100, "the next rung that is not finer than asked"


def test_an_open_interval_or_a_queue_near_the_depth_calls_for_a_finer_eye():
    assert not wants_finer(TERM, 1000, NONE, 0, 0)
    assert wants_finer(TERM, 1000, (0, 2, 0, 0, 1, 0, 1000, 0, 0, 0), 0, 0)
    assert not wants_finer(TERM, 1000, (5, 5, 5, 0, 0, 0, 1000, 0, 0, 0), 0, 0)
    assert wants_finer(TERM, 1000, NONE, 7, 0)
    assert wants_finer(TERM, 1000, NONE, 0, 3)
    assert wants_finer(TERM, 1000, (0, 0, 0, 0, 0, 0, 900, 2, 100, 0), 0, 0)
    assert not wants_finer(TERM, 0, NONE, 0, 0)


def test_a_stricter_objective_wants_its_finer_eye_earlier():
    strict = TERM._replace(objective_ppm=999_000)
    open_by_one = (0, 1, 0, 0, 0, 0, 5000, 0, 0, 0)
    assert not wants_finer(TERM, 5000, open_by_one, 0, 0)
    assert wants_finer(strict, 5000, open_by_one, 0, 0)
