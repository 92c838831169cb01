"""Does the benchmark's fleet report as agents do, and does its arithmetic hold?"""

import random
from typing import Any

import numpy as np

from bench.alerts import spread_of
from bench.alerts_fleet import Member, frame, staggered
from sla.domain.burn import acute_at


def member(**change: object) -> Member:
    return Member(**{"name": "vm-1", "customer": "customer-0", "pool": "", "key": "", **change})


def test_frames_are_cut_each_minute_and_each_ten_seconds_while_the_disk_is_bad() -> None:
    disk = member(bad_at=1_203, well_at=1_245)
    cuts = [second for second in range(1_141, 1_321) if disk.cut_due(second)]
    assert cuts == [1_200, 1_210, 1_220, 1_230, 1_240, 1_260, 1_320]


def test_the_acute_rule_holds_within_a_minute_of_every_kind_of_bad_disk_and_not_before() -> None:
    for bad_ms in (20.0, 40.0, 80.0, 160.0, 400.0):
        disk = member(bad_at=1_260)
        staggered([disk], 1_260, 1, _Always(bad_ms))
        seconds = [frame(disk, at, at + 60) for at in (1_200, 1_260)]
        labels = [one["slow"][0] for one in seconds]
        covered = line(labels, "covered_est")
        slow = line(labels, "read_est") + line(labels, "write_est")
        over = [_over(seconds, side) for side in ("read", "write")]
        lost = np.zeros(120, np.int64)
        assert acute_at(covered, slow, *over, lost) == 119
        assert acute_at(covered[:85], slow[:85], over[0][:85], over[1][:85], lost[:85]) is None


class _Always(random.Random):
    """Chooses what it is told."""

    def __init__(self, choice: float) -> None:
        super().__init__(1)
        self._choice = choice

    def choice(self, seq: object) -> float:  # type: ignore[override]
        return self._choice


def _over(frames: list[dict[str, Any]], side: str) -> np.ndarray:
    return line(frames, f"{side}_ms") * 1000 - line(frames, f"{side}_ios") * 15_000


def line(parts: list[dict[str, Any]], name: str) -> np.ndarray:
    """One figure of frames that follow each other."""
    return np.concatenate([part[name] for part in parts])


def test_half_of_the_delays_are_up_to_the_median_and_none_gives_none() -> None:
    assert spread_of([float(n) for n in range(101)]) == {"p50": 50.0, "p95": 95.0, "max": 100.0}
    assert spread_of([]) == {"p50": None, "p95": None, "max": None}
