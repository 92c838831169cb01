"""Exported slots are read as they come, and what is wrong with them is said with line and value."""

import gzip
import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from sla.domain.neighbours.backtest import backtest
from sla.domain.neighbours.export import ExportError, read_export
from sla.domain.neighbours.slots import PoolSlots
from tests.domain.neighbours.made import START, pool, slowed

HEAD = "time,pool,disk,ios,bytes,time_ms\n"


def text(slots: PoolSlots, pool_name: str = "ssd-1", queue: bool = False) -> str:
    lines = ["time,pool,disk,ios,bytes,time_ms" + (",queue_ms" if queue else "")]
    for place, start in enumerate(slots.starts):
        for disk in range(slots.disks):
            figures = (slots.ios[disk, place], slots.size_bytes[disk, place], slots.time_ms[disk, place])
            lines.append(
                ",".join([str(start), pool_name, f"d{disk}", *(f"{value:.0f}" for value in figures)]) + ",0" * queue
            )
    return "\n".join(lines) + "\n"


def test_a_file_is_told_with_window_suspect_and_pool(tmp_path) -> None:
    slots = slowed(pool(), 400, 410, 2.0, culprit=3)
    file = tmp_path / "slots.csv.gz"
    file.write_bytes(gzip.compress(text(slots, queue=True).encode()))
    out = StringIO()
    call_command("detect_log", str(file), "--json", stdout=out)
    answer = json.loads(out.getvalue())
    (window,) = answer["windows"]
    assert (window["pool"], window["cause"]) == ("ssd-1", "neighbour")
    assert (window["start"], window["end"]) == (slots.starts[400], slots.starts[410])
    assert window["suspects"][0]["disk"] == "d3"
    assert 0.9 <= window["confidence"] <= 1
    assert {one["disk"] for one in answer["disks"]} == {f"d{place}" for place in range(8)}
    spoken = StringIO()
    call_command("detect_log", str(file), stdout=spoken)
    assert "suspect d3" in spoken.getvalue()


def test_five_minute_steps_gaps_and_two_pools() -> None:
    one, two = slowed(pool(5, 400, step_s=300), 300, 302, 2.0), pool(4, 400, seed=9, step_s=300)
    lines = text(one, "a").splitlines() + text(two, "b").splitlines()[1:]
    kept = [line for place, line in enumerate(lines) if place == 0 or place % 37]
    answer = backtest(read_export("\n".join(kept).encode()))
    assert answer["step_s"] == 300
    assert [(window["pool"], window["cause"], window["suspects"]) for window in answer["windows"]] == [
        ("a", "backend", [])
    ]


def test_the_disk_that_is_slow_for_its_load_comes_first() -> None:
    slots = pool(8, 300)
    even = PoolSlots(60, slots.starts, slots.ios, slots.size_bytes, slots.ios * 3.0)
    even.time_ms[6] *= 1.5
    first, second, *_ = backtest(read_export(text(even).encode()))["disks"]
    assert (first["disk"], first["fail_slow"]) == ("d6", True)
    assert first["slowdown"] == pytest.approx(1.5, rel=0.02)
    assert not second["fail_slow"]


def test_disks_that_rest_and_disks_without_figures_do_not_hurt() -> None:
    slots = pool(4, 200)
    for column in (slots.ios, slots.size_bytes, slots.time_ms):
        column[0] = 0
    answer = backtest(read_export(text(slots).encode()))
    assert answer["windows"] == []
    assert answer["disks"][-1] == {
        "disk": "d0",
        "pool": "ssd-1",
        "slow_score": None,
        "slowdown": None,
        "fail_slow": False,
    }


def test_pools_that_nobody_names_are_found_from_disks_that_slow_down_together() -> None:
    one = slowed(slowed(pool(5, 900), 300, 340, 2.0), 700, 730, 2.5)
    two = slowed(slowed(pool(6, 900, seed=8), 500, 540, 2.0), 100, 140, 2.0)
    both = PoolSlots(
        60,
        one.starts,
        *(np.vstack((getattr(one, name), getattr(two, name))) for name in ("ios", "size_bytes", "time_ms")),
    )
    answer = backtest(read_export(text(both, "").encode()))
    found = {pool["pool"]: pool["disks"] for pool in answer["pools"]}
    assert found == {
        "inferred-1": [f"d{place}" for place in range(5, 11)],
        "inferred-2": [f"d{place}" for place in range(5)],
    }
    assert len(answer["windows"]) == 4


def test_times_in_milliseconds_and_iso_are_understood() -> None:
    rows = [f"{(START + 60 * place) * 1000},p,d,10,10,10" for place in range(3)]
    assert list(read_export((HEAD + "\n".join(rows)).encode()).pools["p"][1].starts) == [
        (START // 60 + place) * 60 for place in range(3)
    ]
    rows = [f"2026-11-21T14:0{place}:00Z,p,d,10,10,10" for place in range(3)]
    assert read_export((HEAD + "\n".join(rows)).encode()).pools["p"][1].starts[0] % 3_600 == 0


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("", "line 1"),
        ("time,disk,ios\n", "line 1: bytes, time_ms missing"),
        (HEAD, "no row"),
        (HEAD + "0,p,d,1,1,1\n60,p,d,x,1,1\n", "line 3: ios is 'x'"),
        (HEAD + "0,p,d,1,1,1\n60,p,d,1,-5,1\n", "line 3: bytes is '-5'"),
        (HEAD + "0,p,d,1,1,1\n60,p,d,1,1,inf\n", "line 3: time_ms is 'inf'"),
        (HEAD + "soon,p,d,1,1,1\n", "line 2: time is 'soon'"),
        (HEAD + "0,p,d,1,1,1\n0,p,d,1,1,1\n", "line 3: 'd' has time 0 a second time"),
        (HEAD + "0,p,d,1,1\n", "line 2: 5 values where the header has 6"),
        (HEAD + "0,p,,1,1,1\n", "line 2: disk is empty"),
        (HEAD + "0,p,d,1,1,1\n1,p,d,1,1,1\n", "1 s apart"),
        (HEAD + "0,p,d,1,1,1\n", "no disk has two rows"),
    ],
)
def test_what_is_wrong_is_said(body: str, told: str) -> None:
    with pytest.raises(ExportError, match=told):
        read_export(body.encode())


def test_broken_gzip_and_foreign_bytes_are_refused(tmp_path) -> None:
    with pytest.raises(ExportError, match="gzip"):
        read_export(b"\x1f\x8b\x08rubbish")
    with pytest.raises(ExportError, match="UTF-8"):
        read_export(b"\xff\xfe\x00")
    with pytest.raises(CommandError, match="nowhere"):
        call_command("detect_log", str(tmp_path / "nowhere.csv"))
