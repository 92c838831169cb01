"""Steps of time: sums from slots and from hours are the same, empty steps stay empty, words are those of the worst."""

from datetime import UTC, datetime

import numpy as np
import pytest

from sla.contracts.models import MaintenanceWindow
from sla.fleet.models import Disk
from sla.scoring.bins import Bins, bins_between, histograms_between, states
from sla.scoring.burndown import burn_down, burn_table
from sla.scoring.histograms import merge_histograms
from sla.scoring.models import DiskNow, Hour
from sla.scoring.services import rescore, settle_due
from tests.scoring.conftest import NOW
from tests.web.disk_seed import seed

pytestmark = pytest.mark.django_db
MINUTES = 330
SPAN = (NOW - 6 * 3_600, NOW)


@pytest.fixture
def told(disk: Disk) -> Disk:
    seed(disk, NOW, MINUTES)
    return disk


def test_hours_and_slots_add_up_alike(told: Disk) -> None:
    fine, coarse = (bins_between(told.pk, 1, NOW // 3_600 * 3_600 - 6 * 3_600, NOW, step) for step in (60, 3_600))
    for name in fine.sums:
        by_hour = np.add.reduceat(fine.sums[name], np.arange(0, len(fine), 60))
        assert by_hour.tolist() == coarse.sums[name].tolist(), name


def test_fine_steps_merged_are_the_coarse_ones(told: Disk) -> None:
    first = NOW // 3_600 * 3_600 - 6 * 3_600
    fine = bins_between(told.pk, 1, first, NOW + 3_600, 60)
    for start, end, step in ((*SPAN, 300), (SPAN[0] + 60, NOW, 120), (first, NOW + 7_200, 3_600)):
        merged, coarse = fine.merged(start, end, step), bins_between(told.pk, 1, start, end, step)
        assert (merged.start, merged.step_s, len(merged)) == (coarse.start, coarse.step_s, len(coarse))
        assert {name: merged.sums[name].tolist() for name in merged.sums} == {
            name: coarse.sums[name].tolist() for name in coarse.sums
        }


def test_merged_hours_hold_the_histograms_of_their_slots(told: Disk) -> None:
    fresh = histograms_between(told.pk, 1, *SPAN, 3_600)
    assert fresh.sum() > 0 and Hour.objects.filter(disk=told, hist=None).exists()
    assert merge_histograms() > 0
    assert Hour.objects.filter(disk=told).exclude(hist=None).exists()
    assert np.array_equal(histograms_between(told.pk, 1, *SPAN, 3_600), fresh)
    assert fresh.sum() == bins_between(told.pk, 1, *SPAN, 3_600).sums["read_ios"].sum() + (
        bins_between(told.pk, 1, *SPAN, 3_600).sums["write_ios"].sum()
    )


def test_one_merged_hour_beside_a_late_row_of_the_same_hour_is_counted_once(told: Disk) -> None:
    merge_histograms()
    whole = histograms_between(told.pk, 1, *SPAN, 3_600)
    hour = Hour.objects.filter(disk=told).exclude(hist=None).order_by("-start").first()
    assert hour is not None
    start = int(hour.start.timestamp())
    MaintenanceWindow.objects.create(
        starts_at=datetime.fromtimestamp(start, UTC),
        ends_at=datetime.fromtimestamp(start + 1_800, UTC),
        excludes=True,
        reason="new controller",
    ).disks.add(told)
    rescore(start=start, end=start + 3_600, disk=told.pk)
    rows = list(Hour.objects.filter(disk=told, start=hour.start).values_list("excluded", "hist"))
    assert len(rows) == 2 and any(hist is None for _, hist in rows)
    assert np.array_equal(histograms_between(told.pk, 1, *SPAN, 3_600), whole)


def test_an_empty_step_has_nothing_and_is_not_a_zero(told: Disk) -> None:
    bins = bins_between(told.pk, 1, *SPAN, 60)
    place = bins.starts.tolist().index(NOW - 60 * 295)
    assert bins.sums["observed_s"][place] == 0
    assert bins.ratio(bins.sums["read_ms"], bins.sums["read_ios"])[place] is None


def one(**counts: int) -> Bins:
    """A single step of five minutes."""
    names = ("met", "breached", "breached_proved", "excused", "idle", "no_data", "maintenance", "unproved")
    sums = {name: np.array([counts.get(name, 0)]) for name in names}
    sums["slots"] = np.array([sum(n for name, n in counts.items() if name not in ("observed_s", "breached_proved"))])
    sums["observed_s"] = np.array([counts.get("observed_s", 300)])
    return Bins(600, 300, sums)


@pytest.mark.parametrize(
    ("bins", "word"),
    [
        (one(met=4, breached=1), "breached"),
        (one(met=4, excused=1), "excused"),
        (one(met=4, idle=1), "met"),
        (one(idle=5), "idle"),
        (one(maintenance=5, observed_s=0), "maintenance"),
        (one(met=1, observed_s=60), "no_data"),
        (one(met=1, breached=1, observed_s=120), "breached"),
        (one(observed_s=0), "no_data"),
    ],
)
def test_a_step_says_its_worst_slot(bins: Bins, word: str) -> None:
    assert states(bins, now=10_000.0, first_at=0.0) == [word]


def test_what_is_still_on_its_way_has_no_word_yet() -> None:
    assert states(one(observed_s=0), now=700.0, first_at=0.0) == [None]
    assert states(one(met=1, observed_s=60), now=700.0, first_at=0.0) == ["met"]
    assert states(one(observed_s=0), now=10_000.0, first_at=950.0) == [None]


def test_the_budget_line_falls_with_what_was_slow(told: Disk) -> None:
    now = DiskNow.objects.get(disk=told)
    line = burn_down(now, float(NOW))
    assert line is not None
    known = [value for value in line["left"] if value is not None]
    assert known == sorted(known, reverse=True) and known[0] == 1 and known[-1] < 1
    for low, left, high in zip(line["low"], line["left"], line["high"], strict=True):
        assert left is None or low <= left <= high
    assert {row["name"]: row["short_over"] for row in burn_table(now)}["fast"]


def test_without_a_contract_or_frames_there_is_no_budget(disk: Disk) -> None:
    settle_due()
    assert burn_down(DiskNow(disk=disk), float(NOW)) is None
    assert burn_table(DiskNow(disk=disk)) == []
