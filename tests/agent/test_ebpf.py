"""The kernel times each I/O: on a real loop device, through the real agent; skipped, with a word, where it cannot."""

import json
import os
import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll_agent import cli
from plimsoll_agent.core.r40 import bucket_of
from plimsoll_agent.ebpf import load
from plimsoll_agent.ebpf.table import BUCKETS, DISKS, GONE, HEAD_BYTES, SIZE, Eye, Table
from scripts import ebpf
from scripts.problem import Problem
from tests.agent.stub_server import StubServer
from tests.agent.test_live import Live

PAGE = os.sysconf("SC_PAGESIZE")


def table_of(path: Path) -> Table:
    path.write_bytes(bytes(-(-SIZE // PAGE) * PAGE))
    return Table((os.open(path, os.O_RDWR),))


def test_each_disk_has_its_place_and_keeps_it_when_another_goes(tmp_path):
    table = table_of(tmp_path / "table")
    eyes = table.follow(["254:0", "254:16", None])
    assert [eyes[number].at for number in ("254:0", "254:16")] == [0, 1]
    assert table.follow(["254:16", "7:3"])["254:16"] is eyes["254:16"]
    heads = memoryview((tmp_path / "table").read_bytes()[:HEAD_BYTES]).cast("I").tolist()
    assert heads[:3] == [7 << 20 | 3, 254 << 20 | 16, 0]
    table.follow([])
    heads = memoryview((tmp_path / "table").read_bytes()[:HEAD_BYTES]).cast("I").tolist()
    assert heads[:3] == [GONE, GONE, 0]


def test_disks_beyond_the_table_have_no_place(tmp_path):
    eyes = table_of(tmp_path / "table").follow(f"8:{minor}" for minor in range(DISKS + 5))
    assert sorted(eye.at for eye in eyes.values()) == list(range(DISKS))


def test_a_disk_is_exact_from_its_second_mark_on(tmp_path):
    table = table_of(tmp_path / "table")
    eye = table.follow(["8:0"])["8:0"]
    table.mark()
    assert eye.second(0, 0) is None
    table.mark()
    assert eye.second(0, 0) == ({}, {}, 0, 0)


@given(st.lists(st.dictionaries(st.integers(0, 2 * BUCKETS - 1), st.integers(1, 5), max_size=9), max_size=4))
def test_a_second_holds_what_has_grown_in_it_wherever_in_the_row(seconds):
    eye, row = Eye(0), [7] * (2 * BUCKETS)
    eye.before = eye.marked = struct.pack(f"{len(row)}Q", *row)
    for grown in seconds:
        for place, count in grown.items():
            row[place] += count
        eye.before, eye.marked = eye.marked, struct.pack(f"{len(row)}Q", *row)
        reads = {place - 1: count for place, count in grown.items() if place < BUCKETS}
        writes = {place - BUCKETS - 1: count for place, count in grown.items() if place >= BUCKETS}
        assert eye.second(sum(reads.values()), sum(writes.values())) == (reads, writes, 0, 0)


@pytest.mark.parametrize(
    ("change", "word"),
    [({"program": Path("/nowhere/x.bpf.o")}, "make ebpf"), ({"sys": "/nowhere"}, "does not describe its types")],
)
def test_what_is_missing_is_said(change, word, tmp_path):
    program = tmp_path / "x.bpf.o"
    program.touch()
    assert word in load.obstacle(**{"program": program, **change})
    with pytest.raises(load.Missing, match=word):
        load.begin(**{"program": program, **change})


def test_rights_are_looked_at(tmp_path):
    (tmp_path / "self").mkdir()
    (tmp_path / "x.bpf.o").touch()
    (tmp_path / "kernel/btf").mkdir(parents=True)
    (tmp_path / "kernel/btf/vmlinux").touch()

    def missing(held: int) -> str | None:
        (tmp_path / "self/status").write_text(f"Name:\tx\nCapEff:\t{held:016x}\n")
        return load.obstacle(proc=str(tmp_path), sys=str(tmp_path), program=tmp_path / "x.bpf.o") or ""

    assert "lacks CAP_BPF and CAP_PERFMON" in missing(0)
    assert "lacks CAP_PERFMON" in missing(1 << load.CAP_BPF)
    assert "lacks" not in missing(1 << load.CAP_BPF | 1 << load.CAP_PERFMON)
    assert "lacks" not in missing(1 << load.CAP_SYS_ADMIN)


def test_an_agent_that_must_have_it_does_not_start_without(tmp_path, capsys):
    code = cli.main(
        ["run", "--ebpf", "on", "--sys", str(tmp_path), "--url", "http://127.0.0.1:1", "--state-dir", str(tmp_path)]
    )
    assert code == 2 and "ebpf is on, but" in capsys.readouterr().err


@pytest.mark.parametrize(("wish", "verdict"), [("auto", "ok"), ("on", "fault"), ("off", "ok")])
def test_the_doctor_says_what_is_missing(wish, verdict, tmp_path, capsys):
    (tmp_path / "block").mkdir()
    cli.main(["doctor", "--json", "--ebpf", wish, "--sys", str(tmp_path), "--state-dir", str(tmp_path / "state")])
    [found] = [item for item in json.loads(capsys.readouterr().out)["findings"] if item["topic"] == "ebpf"]
    assert found["verdict"] == verdict and ("missing" in found) == (wish != "off")


@pytest.fixture(scope="module")
def kernel():
    """The program, built and allowed."""
    try:
        ebpf.build()
    except Problem as problem:
        pytest.skip(str(problem))
    if missing := load.obstacle():
        pytest.skip(missing)


@pytest.fixture
def loop_device(tmp_path):
    image = tmp_path / "image"
    with image.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, 16 << 20)
    made = subprocess.run(["losetup", "--find", "--show", image], capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"no loop device: {made.stderr.strip()}")
    yield made.stdout.strip()
    subprocess.run(["losetup", "--detach", made.stdout.strip()], check=False)


def dd(**flags) -> None:
    subprocess.run(["dd", "status=none", *(f"{name}={value}" for name, value in flags.items())], check=True)


@pytest.mark.parametrize("point", load.POINTS)
def test_the_kernels_counts_are_those_of_its_counters(kernel, loop_device, point):
    stat = Path("/sys/class/block", Path(loop_device).name)
    number = (stat / "dev").read_text().strip()
    table = Table(load.begin(point=point))
    eye = table.follow([number])[number]

    def ios() -> tuple[int, int]:
        fields = (stat / "stat").read_text().split()
        return int(fields[0]), int(fields[4])

    table.mark()
    before = ios()
    dd(**{"if": "/dev/zero", "of": loop_device, "bs": "4k", "count": 300, "oflag": "direct"})
    dd(**{"if": loop_device, "of": "/dev/null", "bs": "4k", "count": 200, "iflag": "direct"})
    after = ios()
    table.mark()
    reads, writes = after[0] - before[0], after[1] - before[1]
    exact = eye.second(reads, writes)
    assert reads >= 200 and writes >= 300
    assert sum(exact.read_hist.values()) + exact.read_missing == reads
    assert sum(exact.write_hist.values()) + exact.write_missing == writes
    assert exact.read_missing + exact.write_missing <= (reads + writes) // 50
    assert all(bucket < bucket_of(10_000_000) for bucket in exact.read_hist)


def busy_of(frames: list) -> list:
    """The frames in which something was written. A minute may have turned before anything was."""
    return [frame for frame in frames if sum(frame["write_ios"])]


def test_the_agent_sends_exact_frames(kernel, loop_device, tmp_path):
    server = StubServer()
    name = Path(loop_device).name
    agent = Live(tmp_path, server.url, devices=name, sys="/sys", ebpf="on")
    agent.start()
    try:
        agent.wait_for(lambda: agent.rows() >= 2, 30)
        # Held up by the pauses between them, not by the disk: all of them far below 15 ms or honestly slow.
        for _ in range(3):
            dd(**{"if": "/dev/zero", "of": loop_device, "bs": "4k", "count": 200, "oflag": "direct"})
        rows = agent.rows()
        agent.wait_for(lambda: agent.rows() >= rows + 2 or busy_of(server.frames), 30)
        agent.stop()
    finally:
        if agent.process.poll() is None:
            agent.process.kill()
        agent.process.wait()
        said = agent.process.stderr.read().decode()
        agent.process.stderr.close()
        server.close()
    busy = busy_of(server.frames)
    assert busy, said
    for frame in busy:
        [slow] = [entry for entry in frame["slow"] if entry["term"] == 7] or [None]
        assert frame["source"] == "ebpf", said
        assert slow is None or sum(slow["write_hi"]) - sum(slow["write_lo"]) <= sum(frame["write_ios"]) // 50
        assert sum(count for _, count in frame["write_hist"]) >= sum(frame["write_ios"]) * 0.98
