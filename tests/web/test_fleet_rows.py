"""A disk in words: cut and never rounded up, unknown never 0."""

from datetime import UTC, datetime

import pytest

from sla.contracts.models import ContractVersion
from sla.domain.states import State
from sla.scoring.models import DiskNow
from sla.scoring.strips import Cell
from sla.web.fleet_rows import _strip, attained, budget_left, burning, digits_for, load, ms
from sla.web.templatetags.ages import age

AT = datetime(2026, 11, 21, 14, 3, tzinfo=UTC)


def now(**figures: object) -> DiskNow:
    return DiskNow(disk_id=1, updated_at=AT, **figures)


def version(objective_ppm: int = 990_000, iops: int = 1_000) -> ContractVersion:
    return ContractVersion(objective_ppm=objective_ppm, iops=iops)


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.98619, 0.989099, "98.61–98.90 %"),
        (0.999999, 0.999999, "99.99 %"),
        (0.57, 1.0, "57.00–100.00 %"),  # 0.57 * 100 is 56.99… in binary
        (None, None, None),
    ],
)
def test_both_ends_of_the_attained_range_are_cut(low: float | None, high: float | None, text: str | None) -> None:
    assert attained(now(sli_low=low, sli_high=high), 2) == text


def test_what_is_not_judged_is_not_zero() -> None:
    assert attained(None, 2) is budget_left(None) is load(None, version()) is burning(None) is ms(None) is None
    assert budget_left(now(budget_left_estimate=None)) is None
    assert load(now(iops=None), version()) is load(now(iops=5.0), None) is None


@pytest.mark.parametrize(
    ("ratio", "text", "width", "tone"),
    [
        (1.0, "100 %", 90, ""),
        (0.999, "99 %", 90, ""),
        (0.2, "20 %", 18, ""),
        (0.199, "19 %", 18, "at_risk"),
        (-0.381, "−39 %", 0, "breached"),
        (-12.0, "< −999 %", 0, "breached"),
    ],
)
def test_the_budget_left_is_cut_towards_less(ratio: float, text: str, width: int, tone: str) -> None:
    left = budget_left(now(budget_left_estimate=ratio))
    assert left is not None
    assert (left.text, left.width, left.tone) == (text, width, tone)


@pytest.mark.parametrize(("rate", "text"), [(0.01, "0.1"), (1.0, "1.0"), (9.91, "10"), (20.2, "21"), (0.0, None)])
def test_a_burn_rate_is_cut_upwards(rate: float, text: str | None) -> None:
    assert burning(now(burn_rate=rate)) == text


@pytest.mark.parametrize(("iops", "text"), [(0.0, "0 %"), (3.0, "< 1 %"), (419.0, "41 %"), (1_251.0, "125 %")])
def test_load_is_against_the_contract(iops: float, text: str) -> None:
    assert load(now(iops=iops), version()) == text


@pytest.mark.parametrize(("ppm", "digits"), [(990_000, 2), (999_000, 2), (999_500, 3), (999_990, 4), (999_999, 5)])
def test_a_figure_has_one_place_more_than_its_objective(ppm: int, digits: int) -> None:
    assert digits_for(version(ppm)) == digits


def test_a_strip_says_in_words_what_it_draws() -> None:
    cells = [
        Cell(0, State.MET, proved=True),
        Cell(60, State.BREACHED, proved=True),
        Cell(120, State.BREACHED, proved=False),
        Cell(180, None, proved=True),
    ]
    strip = _strip(cells)
    assert strip["words"] == "last 4 minutes: 2 breached, 1 met, 1 no data"
    assert strip["kinds"] == "met breached likely no_data"
    assert strip["paths"]["breached"] == "M6 1h5v22h-5z"
    assert strip["width"] == 4 * 6 - 1


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "–"), (-2, "0 s"), (119.9, "119 s"), (120, "2 min"), (7_200, "2 h"), (172_800, "2 d")],
)
def test_an_age_is_said_as_the_browser_says_it(seconds: float | None, text: str) -> None:
    assert age(seconds) == text
