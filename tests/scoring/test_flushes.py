"""Flushes lie in frames only: added up step by step, unknown where no frame said."""

from typing import Any

import pytest

from sla.fleet.models import Disk
from sla.scoring.flushes import LONGEST_S, flushes_between
from tests.scoring.conftest import NOW, keep
from tests.telemetry.machines import minute

pytestmark = pytest.mark.django_db
GUEST = 1


def sent(start: int, **more: Any) -> dict[str, Any]:
    return {**minute(start), **more}


def without(frame: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in frame.items() if name not in names}


def test_they_are_added_up_over_each_step(disk: Disk) -> None:
    start = NOW - 240
    for at in (start, start + 60):
        keep(disk, sent(at, flush_ios=[2] * 60, flush_ms=[7] * 60))
    keep(disk, sent(start + 120, flush_ios=[1] * 60, flush_ms=[0] * 60))
    ios, ms, known_s = flushes_between(disk.pk, GUEST, start, start + 240, 120)
    assert (ios.tolist(), ms.tolist(), known_s.tolist()) == ([240, 60], [840, 0], [120, 60])


def test_a_kernel_that_counts_none_is_unknown_and_not_zero(disk: Disk) -> None:
    keep(disk, without(sent(NOW - 60), "flush_ios", "flush_ms"))
    ios, _, known_s = flushes_between(disk.pk, GUEST, NOW - 60, NOW, 60)
    assert (ios.tolist(), known_s.tolist()) == ([0], [0])


def test_a_second_that_was_not_observed_is_left_out(disk: Disk) -> None:
    hole = [None, *[3] * 59]
    keep(disk, sent(NOW - 60, flush_ios=hole, flush_ms=hole))
    ios, _, known_s = flushes_between(disk.pk, GUEST, NOW - 60, NOW, 60)
    assert (ios.tolist(), known_s.tolist()) == ([177], [59])


def test_more_than_a_day_of_frames_is_refused(disk: Disk) -> None:
    with pytest.raises(ValueError, match="too many"):
        flushes_between(disk.pk, GUEST, NOW - LONGEST_S - 60, NOW, 60)
