"""Recordings and what is judged from them."""

import io
import json
from pathlib import Path

import pytest

from plimsoll_agent import cli
from plimsoll_agent.core.terms import Term
from plimsoll_agent.recording import RecordingError, moments, record, whole_disks
from plimsoll_agent.replay import replay

PROC = Path(__file__).parents[1] / "fixtures" / "proc"
TERM = Term(1, 15_000, 15_000, 1000, 13, 100_000, 262_144)


def recording(*readings, name="vda"):
    """(seconds, reads, read_ms, writes, write_ms, in_flight) each."""
    text = ""
    for second, reads, read_ms, writes, write_ms, in_flight in readings:
        text += f"@ {second:.6f} {1_766_300_000 + second:.6f}\n"
        text += f" 254       0 {name} {reads} 0 {8 * reads} {read_ms} {writes} 0 {8 * writes} {write_ms} {in_flight}"
        text += f" 0 {read_ms + write_ms} 0 0 0 0 0 0\n"
        text += f" 254       1 {name}{'p' * name[-1].isdigit()}1 1 1 1 1 1 1 1 1 0 1 1 0 0 0 0 0 0\n"
    return io.BytesIO(text.encode())


def judged(source, rule="accounted", named=()):
    return list(replay(moments(source), TERM, rule, set(named)))


def test_what_is_recorded_is_the_kernels_text_between_stamps(tmp_path):
    out = io.BytesIO()
    left = [1, 2, 3]
    assert record(out, "/proc/diskstats", 10, lambda: not left or left.pop() is None) == 3
    text = out.getvalue().decode()
    assert text.count("@ ") == 3 and text.startswith("@ ")
    read = list(moments(io.BytesIO(out.getvalue())))
    assert 9_000_000 < read[1].mono_ns - read[0].mono_ns < 500_000_000
    assert {name for _, name, _ in read[0].disks} == {
        line.split()[2] for line in Path("/proc/diskstats").read_text().splitlines()
    }


def test_fast_ios_are_covered_and_not_slow():
    rows = [(at / 10, 10 * at, 10 * at, 0, 0, 0) for at in range(101)]
    [line] = judged(recording(*rows))
    assert (line["device"], line["ios"], line["seconds"], line["await_ms"]) == ("vda", 1000, 10.0, 1.0)
    assert line["slow"]["low"] == line["slow"]["estimate"] == 0
    assert line["covered"] == {"low": 1000, "estimate": 1000, "high": 1000}


def test_slow_ios_one_by_one_are_proved_slow():
    rows = [(at / 10, at, 40 * at, 0, 0, 0) for at in range(51)]
    [line] = judged(recording(*rows))
    assert line["slow"] == {"low": 50, "estimate": 50, "high": 50}


def test_a_reset_and_a_clock_step_count_for_nothing():
    rows = [(at / 10, 10 * at, 10 * at, 0, 0, 0) for at in range(11)]
    rows += [(1.1 + at / 10, 10 * at, 10 * at, 0, 0, 0) for at in range(11)]
    [line] = judged(recording(*rows))
    assert line["ios"] == 200
    stepped = recording(*rows[:11]).getvalue()
    stepped += recording((1.1, 5000, 5000, 0, 0, 0)).getvalue().replace(b" 17663", b" 17664")
    [line] = judged(io.BytesIO(stepped))
    assert line["ios"] == 100


def test_an_idle_disk_has_no_mean():
    [line] = judged(recording(*[(at, 7, 7, 7, 7, 0) for at in range(5)]))
    assert line["await_ms"] is None and line["ios"] == 0


def test_a_last_reading_that_was_cut_off_does_not_count():
    text = recording(*[(at / 10, at, at, 0, 0, 0) for at in range(11)]).getvalue()
    read = list(moments(io.BytesIO(text[: text.rindex(b" 254") + 40])))
    assert [name for _, name, _ in read[-1].disks] == ["vda"]


@pytest.mark.parametrize("text", [b"8 0 sda 1\n", b"@ x 1\n", b"@ 1\n", b"@ 1 2\n 8 0 sda 1 2 3\n@ 2 3\n"])
def test_text_that_is_no_recording_is_refused(text):
    with pytest.raises(RecordingError):
        list(moments(io.BytesIO(text)))


@pytest.mark.parametrize(
    ("vintage", "whole"),
    [
        ("2.6.18", {"sda", "hdc", "cciss/c0d0"}),
        ("4.19", {"nvme0n1"}),
        ("5.10", {"sda", "sdb", "mmcblk0"}),
        ("6.18", {"vda"}),
    ],
)
def test_whole_disks_are_told_by_their_names(vintage, whole):
    text = b"@ 1 1\n" + (PROC / f"diskstats-{vintage}").read_bytes()
    [moment] = moments(io.BytesIO(text))
    assert whole_disks(moment.disks, set()) == whole


def test_a_recording_of_a_loop_device_alone_is_meant():
    [line] = judged(recording(*[(at / 10, at, at, 0, 0, 0) for at in range(11)], name="loop0"))
    assert line["device"] == "loop0"


def test_the_command_prints_a_json_line_per_disk(tmp_path, capsys):
    path = tmp_path / "r.txt"
    path.write_bytes(recording(*[(at / 10, at, 40 * at, 0, 0, 0) for at in range(51)]).getvalue())
    assert cli.main(["replay", str(path), "--threshold-ms", "15", "--iops", "1000", "--json"]) == 0
    line = json.loads(capsys.readouterr().out)
    assert list(line) == ["device", "ios", "covered", "slow", "await_ms", "seconds"]
    assert line["slow"]["estimate"] == 50
    assert cli.main(["replay", str(path), "--threshold-ms", "50"]) == 0
    assert "slow 0 to 0" in capsys.readouterr().out


def test_a_missing_or_broken_file_is_said_in_one_line(tmp_path, capsys):
    assert cli.main(["replay", str(tmp_path / "none"), "--threshold-ms", "15"]) == 2
    (tmp_path / "bad").write_text("hello\n")
    assert cli.main(["replay", str(tmp_path / "bad"), "--threshold-ms", "15"]) == 2
    assert "hello" in capsys.readouterr().err
