"""The hypervisor counts the same I/Os and never more time than the guest."""

import numpy as np
import pytest

from sla.domain.agreement import Side, compare
from sla.simulator.fine import Minute
from sla.simulator.host import LEAST_MS, Between, beneath, beneath_ios
from sla.simulator.noise import Ints


def steps(**change: list[int]) -> dict[str, Ints]:
    usual = {
        "read_ios": [100, 0, 50],
        "write_ios": [300, 0, 0],
        "read_bytes": [409_600, 0, 204_800],
        "write_bytes": [1_228_800, 0, 0],
        "read_ms": [200, 0, 500],
        "write_ms": [900, 0, 0],
        "queue_ms": [1_200, 0, 500],
        "in_flight": [2, 0, 10],
    }
    return {name: np.array(values, np.int64) for name, values in {**usual, **change}.items()}


def side(counts: dict[str, Ints]) -> Side:
    return Side(
        counts["read_ios"] + counts["write_ios"],
        counts["read_bytes"] + counts["write_bytes"],
        counts["read_ms"] + counts["write_ms"],
        counts["in_flight"],
    )


@pytest.mark.parametrize(
    "between", [Between(0.04, 0.03), Between(0.25, 0.45), Between(50.0)], ids=["usual", "waiting", "all"]
)
def test_both_sides_agree_and_the_guest_waits_longer(between: Between) -> None:
    guest = steps()
    host = beneath(guest, between)
    got = compare(side(guest), side(host))
    assert not got.disputed.any()
    assert (got.beyond_host_ms >= 0).all() and got.beyond_host_ms.sum() > 0
    for name in ("read_ios", "write_ios", "read_bytes", "write_bytes"):
        assert (host[name] == guest[name]).all()


def test_half_of_the_time_above_the_host_is_half_of_it() -> None:
    host = beneath(steps(), Between(0.0, 0.5))
    assert host["read_ms"].tolist() == [100, 0, 250]
    assert host["write_ms"].tolist() == [450, 0, 0]
    assert host["queue_ms"].tolist() == [600, 0, 250]


def test_single_ios_are_shorter_beneath_and_none_is_lost() -> None:
    now = Minute(np.array([0.5, 1.5]), np.array([2.0, 0.001]), np.array([0, 1]), np.array([4_096, 512]))
    host = beneath_ios(now, Between(0.5, 0.1))
    assert host.took_ms.tolist() == pytest.approx([1.3, 0.001])
    assert LEAST_MS > 0.001, "what is faster than the least stays what it was"
    assert host.ended is now.ended and host.size is now.size
