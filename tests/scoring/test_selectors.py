"""The read API's answers: exactly its keys, ratios in order, seconds that sum to their slot."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from sla.domain.period import PeriodError
from sla.fleet.models import Disk
from sla.scoring.explain import explain_period, explain_slot, low_end
from sla.scoring.score import score
from sla.scoring.selectors import SpanTooLong, disk_item, seconds, slots
from sla.scoring.services import settle_due
from tests.scoring.conftest import NOW

pytestmark = pytest.mark.django_db
Sent = Callable[..., dict[str, Any]]
MONTH = datetime.fromtimestamp(NOW - 300, UTC).strftime("%Y-%m")
SLOT_KEYS = {
    *("start", "ios", "bytes", "await_ms", "aqu_sz", "eligible", "eligible_low", "eligible_high", "excess", "slow"),
    *("lost_ms", "state", "proved", "grade", "coverage"),
}
SCORE_KEYS = {
    *("objective", "sli", "eligible", "slow", "excess", "lost_s", "gap", "coverage", "budget_left_ratio", "state"),
    *("proved", "reasons", "closed"),
}


def test_slots_carry_the_wire_formats_keys(sent: Sent, disk: Disk) -> None:
    frame = sent(5)
    settle_due()
    (item,) = slots(disk.pk, NOW - 300, NOW)
    assert item.keys() >= SLOT_KEYS
    ios = sum(frame["read_ios"]) + sum(frame["write_ios"])
    assert item["await_ms"] == pytest.approx(sum(frame["queue_ms"]) / ios, abs=0.001)
    assert (item["coverage"], item["excess"], item["state"], item["grade"]) == (1, 0, "met", "B")
    with pytest.raises(SpanTooLong, match="57601 minutes"):
        slots(disk.pk, NOW - 57_601 * 60, NOW)


def test_seconds_are_the_frames_own_and_sum_to_the_slot(sent: Sent, disk: Disk) -> None:
    frame = sent(5, in_flight=[0] * 59 + [3])
    settle_due()
    items = seconds(disk.pk, NOW - 300, NOW - 240)
    counted = [a + b for a, b in zip(frame["read_ios"], frame["write_ios"], strict=True)]
    assert [item["ios"] for item in items] == counted
    assert {item["case"] for item in items} == {"normal"}
    assert sum(item["slow"]["high"] for item in items) == slots(disk.pk, NOW - 300, NOW)[0]["slow"]["high"]
    assert [item["t"] for item in items] == list(range(NOW - 300, NOW - 240))


def test_unobserved_seconds_are_unknown_and_lower_coverage(sent: Sent, disk: Disk) -> None:
    hole: dict[str, Any] = {name: [None] * 20 + [5] * 40 for name in ("read_ios", "write_ios", "read_ms", "write_ms")}
    sent(5, **hole, slow=[])
    settle_due()
    assert [item["case"] for item in seconds(disk.pk, NOW - 300, NOW - 240)][:21] == ["unknown"] * 20 + ["normal"]
    assert slots(disk.pk, NOW - 300, NOW)[0]["coverage"] == pytest.approx(2 / 3, abs=1e-6)


def test_a_score_has_its_keys_and_its_ratios_are_in_order(sent: Sent, disk: Disk) -> None:
    for ago in range(1, 20):
        sent(ago)
    settle_due()
    got = score(disk.pk, MONTH, now=datetime.fromtimestamp(NOW + 30, UTC))
    assert got.keys() >= SCORE_KEYS
    assert got["sli"]["low"] <= got["sli"]["estimate"] <= got["sli"]["high"]
    assert got["budget_left_ratio"]["low"] <= got["budget_left_ratio"]["estimate"] <= got["budget_left_ratio"]["high"]
    assert (got["state"], got["coverage"], got["closed"]) == ("met", 1, False)
    for text in ("2026-13", "2026", "november", "2026-00"):
        with pytest.raises(PeriodError, match=text):
            score(disk.pk, text)


def test_explaining_lays_a_slot_out_to_its_seconds(sent: Sent, disk: Disk) -> None:
    sent(5)
    settle_due()
    got = explain_slot(disk.pk, NOW - 290)
    assert got is not None
    assert len(got["seconds"]) == 60 and got["cases"] == {"normal": 60}
    figures = {figure["name"]: figure["value"] for figure in got["figures"]}
    assert figures["eligible"] == got["slot"]["eligible"] and got["slot"]["state"] == "met"
    assert explain_slot(disk.pk, NOW - 9_000) is None
    period = explain_period(disk.pk, MONTH)
    assert sum(day["ios"] for day in period["days"]) == period["score"]["ios"]


def test_a_disk_without_frames_is_no_data(disk: Disk) -> None:
    item = disk_item(disk)
    assert (item["state"], item["sli"]["estimate"], item["seen_at"]) == ("no_data", None, None)
    assert score(disk.pk, MONTH)["state"] == "no_data"


def test_a_low_end_that_bursts_leave_open_says_what_better_evidence_would_need() -> None:
    score = {"slow": {"high": 60}, "eligible_low": 13, "eligible": 30, "proved": False}
    assert low_end(score).startswith("1 - 60 at most slow / 13 surely covered; of a burst between two samples only")
    assert "eBPF" in low_end(score)
    for settled in ({"proved": True}, {"eligible_low": 29}):
        assert "burst" not in low_end(score | settled)
