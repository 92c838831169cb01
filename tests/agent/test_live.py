"""The real processes on this machine: started, killed, stopped, with a server that answers, hangs or is not there."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from plimsoll_agent import journal, spool
from plimsoll_agent.kernel.files import read_bytes
from plimsoll_agent.settings import Settings
from plimsoll_agent.state import MEMORY_FOLDERS, locate, pairs_from_bytes
from tests.agent.stub_server import StubServer

DISK = 0  # column of read_ios in a stat file
CLI = [sys.executable, "-m", "plimsoll_agent.cli"]


class Live:
    """A running agent over a made-up disk whose counters the test moves."""

    def __init__(self, tmp_path: Path, url: str, **flags: str) -> None:
        self.path = tmp_path
        fixture = Path(__file__).parents[1] / "fixtures" / "sys" / "guest"
        if not (tmp_path / "sys").exists():
            shutil.copytree(fixture, tmp_path / "sys")
        self.stat = tmp_path / "sys/block/vda/stat"
        self.reads = 100
        self.move(0)
        (tmp_path / "key").write_text("the-key\n")
        values = {
            "url": url,
            "key-file": tmp_path / "key",
            "state-dir": tmp_path / "state",
            "run-dir": tmp_path / "run",
        }
        values |= {"sys": tmp_path / "sys", "devices": "vda"} | flags
        self.command = [*CLI, "run", *(f"--{name}={value}" for name, value in values.items())]
        self.process: subprocess.Popen | None = None

    def move(self, reads: int) -> None:
        self.reads += reads
        text = f"{self.reads} 0 {8 * self.reads} {self.reads} 5 0 40 5 0 90 95 0 0 0 0 1 1\n"
        new = self.stat.with_suffix(".new")
        new.write_text(text)
        # In place: the sampler holds the file open, as it would a file of sysfs.
        with self.stat.open("r+" if self.stat.exists() else "w") as file:
            file.write(text)
            file.truncate()
        new.unlink()

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, stderr=subprocess.PIPE)

    def wait_for(self, what, seconds: float = 20.0):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if found := what():
                return found
            if self.process is not None and self.process.poll() is not None:
                raise AssertionError(f"ended with {self.process.returncode}: {self.process.stderr.read().decode()}")
            time.sleep(0.1)
        raise AssertionError(f"not within {seconds} s")

    def rows(self) -> int:
        found = 0
        for path in (self.path / "run").glob("*.open"):
            try:
                found += len(journal.read(str(path)).rows)
            except journal.JournalError:
                continue
        return found

    def stop(self, number: int = signal.SIGTERM) -> float:
        begin = time.monotonic()
        self.process.send_signal(number)
        self.process.wait(10)
        return time.monotonic() - begin

    @property
    def status(self) -> dict:
        running = read_bytes(str(self.path / "run/sampler"))
        return pairs_from_bytes(running or read_bytes(str(self.path / "state/sampler")))


@pytest.fixture
def live(tmp_path):
    made = []

    def make(url, **flags):
        made.append(Live(tmp_path, url, **flags))
        made[-1].start()
        return made[-1]

    yield make
    for one in made:
        if one.process.poll() is None:
            one.process.kill()
        one.process.wait()
        one.process.stderr.close()


def test_a_newcomers_disk_is_reported_within_seconds_and_stopping_sends_the_rest(live):
    server = StubServer()
    agent = live(server.url)
    first = agent.wait_for(lambda: server.frames, 15)[0]
    assert first["device"] == "vda" and first["slow"][0]["term"] == 7
    assert (first["start"] + first["n"]) % 10 == 0
    agent.move(50)
    agent.wait_for(lambda: agent.rows() >= 2)
    assert agent.stop() < 5 and agent.process.returncode == 0
    assert sum(sum(frame["read_ios"]) for frame in server.frames) == 50
    assert not (agent.path / "run").exists() and list((agent.path / "state/spool").iterdir()) == []
    server.close()


def test_kill_9_loses_no_more_than_the_second_being_measured(live):
    server = StubServer()
    agent = live(server.url)
    agent.wait_for(lambda: server.frames, 15)
    for _ in range(25):
        agent.move(3)
        time.sleep(0.1)
    agent.process.kill()
    agent.process.wait()
    agent.process.stderr.close()
    agent.move(1000)
    agent.start()
    count = len(server.frames)
    agent.wait_for(lambda: len(server.frames) > count + 1, 20)
    agent.stop()
    frames_ = sorted(server.frames, key=lambda frame: frame["start"])
    ends = [(frame["start"], frame["start"] + frame["n"]) for frame in frames_]
    assert all(one[1] <= two[0] for one, two in pairwise(ends))
    recovered = next(frame for frame in frames_[1:] if "machine" not in frame)
    after = frames_[frames_.index(recovered) + 1]
    assert after["start"] - (recovered["start"] + recovered["n"]) <= 3
    gap = after["base"]["read_ios"] - recovered["base"]["read_ios"] - sum(recovered["read_ios"])
    assert 1000 <= gap <= 1000 + 3 * 11
    server.close()


def test_without_a_server_it_measures_and_delivers_when_there_is_one(live):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    agent = live(f"http://127.0.0.1:{port}")
    agent.wait_for(lambda: list((agent.path / "state/spool").glob("*.frame")), 20)
    assert agent.stop() < 5
    [entry] = spool.entries(str(agent.path / "state/spool"))[:1]
    assert spool.as_json_form(spool.load(entry))["slow"] == [], "nobody has said yet what is slow"
    server = StubServer()
    agent.command = [part if not part.startswith("--url=") else f"--url={server.url}" for part in agent.command]
    agent.start()
    agent.wait_for(lambda: len(server.frames) >= 1, 10)
    server.close()


def test_a_server_that_never_answers_moves_no_sample_and_delays_no_stop(live):
    silent = socket.socket()
    silent.bind(("127.0.0.1", 0))
    silent.listen(50)
    agent = live(f"http://127.0.0.1:{silent.getsockname()[1]}", cadence="10", **{"timeout-s": "40"})
    agent.wait_for(lambda: agent.rows() >= 3)
    time.sleep(5)
    assert agent.stop() < 5 and agent.process.returncode == 0
    samples, late = int(agent.status["samples"]), int(agent.status["late"])
    assert samples > 500
    # This machine may be busy with other tests: the goal of one in a thousand is the benchmark's to show.
    assert late <= samples * 0.05
    assert int(agent.status["lost_s"]) == 0
    silent.close()


def test_a_second_agent_on_the_same_folder_is_refused(live):
    server = StubServer()
    agent = live(server.url)
    agent.wait_for(lambda: server.enrolments, 15)
    other = subprocess.run(agent.command, capture_output=True, text=True, timeout=20, check=False)
    assert other.returncode == 2 and "another agent" in other.stderr
    server.close()


def test_seconds_wait_in_memory_where_there_is_such_a_place(tmp_path):
    state = locate(Settings({"state_dir": str(tmp_path / "state")}))
    mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    memory = {mount[1] for mount in mounts if mount[2] == "tmpfs" and os.access(mount[1], os.W_OK)}
    if set(MEMORY_FOLDERS) & memory:
        assert any(state.run.startswith(folder + "/plimsoll-agent-") for folder in memory)
    else:
        assert state.run == f"{tmp_path}/state/run"
    assert not Path(state.run).exists()
