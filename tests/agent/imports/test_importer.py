"""The frames of an importer whose clock and exporter the test holds, and the real process."""

import itertools
import subprocess
import sys
import time

import pytest

from plimsoll_agent import spool
from plimsoll_agent.imports import importer as module
from plimsoll_agent.imports import machine
from plimsoll_agent.settings import Settings
from plimsoll_agent.state import open_state
from tests.agent.imports.exporter import Exporter
from tests.agent.stub_server import StubServer

START = 1_800_000_000  # a whole minute


class Clock:
    """Both clocks, in the importer's place: the wall may step, the monotonic one does not."""

    def __init__(self) -> None:
        self.wall = START * 10**9
        self.mono = 5 * 10**9

    def time_ns(self) -> int:
        return self.wall

    def monotonic_ns(self) -> int:
        return self.mono

    def time(self) -> float:
        return self.wall / 1e9

    def process_time_ns(self) -> int:
        return 0


@pytest.fixture
def exporter():
    one = Exporter()
    yield one
    one.close()


@pytest.fixture
def run(tmp_path, exporter, monkeypatch):
    """turn(at, late_s): let the importer see the page of that moment."""
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    values = {"state_dir": str(tmp_path / "state"), "run_dir": str(tmp_path / "run"), "url": "http://127.0.0.1:9"}
    settings = Settings(values | {"from_node_exporter": exporter.url})
    state = open_state(settings)
    one = module.Importer(settings, state, {})
    one.clock, one.frames = clock, lambda: [frame_of(entry) for entry in spool.entries(state.spool)]

    def turn(at, late_s=0.01, step_s=0.0):
        """`step_s`: how far the wall clock was set forward since the last turn, beside what passed."""
        moved = int((at + late_s) * 1e9) - clock.wall
        clock.wall += moved
        clock.mono += moved - int(step_s * 1e9)
        one.turn(at)

    one.turn_at = turn
    turn(START)
    return one


def frame_of(entry):
    return spool.as_json_form(spool.load(entry))


def test_a_minute_is_a_frame_of_whole_steps_without_labels(run, exporter):
    for at in range(START + 5, START + 65, 5):
        exporter.move(reads=7)
        run.turn_at(at)
    first, second = run.frames()
    assert (first["start"], first["step_s"], first["n"]) == (START, 5, 2), "a newcomer shows up within ten seconds"
    assert (second["start"], second["n"]) == (START + 10, 10)
    assert second["read_ios"] == [7] * 10 and second["read_ms"] == [14] * 10 and second["read_sectors"] == [56] * 10
    assert second["source"] == "import" and second["slow"] == [] and second["in_flight_rule"] == "driver"
    assert second["serial"] == "S-vda" and "flush_ios" not in second and "fine_ms" not in second
    assert first["base"]["read_ios"] + sum(first["read_ios"]) == second["base"]["read_ios"] == 114


def test_each_disk_has_its_own_frames(run, exporter):
    exporter.disks["vdb"] = [5, 0, 0.0, 0, 0.0, 0]
    for at in range(START + 5, START + 65, 5):
        exporter.move("vdb", 3)
        run.turn_at(at)
    ends = {frame["device"]: sum(frame["read_ios"]) for frame in run.frames() if frame["start"] >= START + 10}
    assert ends == {"vda": 0, "vdb": 30}
    assert [disk["device"] for disk in machine.kept(run.state)["disks"]] == ["vda", "vdb"]


def test_an_exporter_that_is_away_leaves_a_gap_that_the_base_bounds(run, exporter):
    run.turn_at(START + 5)
    exporter.down = 503
    run.turn_at(START + 10)
    exporter.down = 0
    exporter.move(reads=1000)
    run.turn_at(START + 15)
    run.turn_at(START + 20)
    run._cut_all()
    before, after = run.frames()
    assert (before["start"], before["n"], after["start"], after["n"]) == (START, 1, START + 15, 1)
    assert after["base"]["read_ios"] == 1100 and sum(after["read_ios"]) == 0


def test_a_late_page_is_of_no_boundary(run, exporter):
    run.turn_at(START + 5)
    run.turn_at(START + 10, late_s=0.3)
    run.turn_at(START + 15)
    run.turn_at(START + 20)
    run._cut_all()
    assert [(frame["start"], frame["n"]) for frame in run.frames()] == [(START, 1), (START + 15, 1)]
    assert run.late == 1


def test_a_reset_and_another_boot_give_no_step(run, exporter):
    run.turn_at(START + 5)
    exporter.disks["vda"][0] = 3
    run.turn_at(START + 10)
    exporter.booted_at += 3600
    exporter.move(reads=50)
    run.turn_at(START + 15)
    run.turn_at(START + 20)
    run._cut_all()
    frames = run.frames()
    assert [(frame["start"], sum(frame["read_ios"])) for frame in frames] == [(START, 0), (START + 15, 0)]
    assert machine.kept(run.state)["boot_id"] == f"booted-at-{1_700_000_000 + 3600}"


@pytest.mark.parametrize("step_s", [3600, 3, -3600])
def test_a_clock_that_is_set_makes_the_step_unknown_and_tells_no_second_twice(run, exporter, step_s):
    for at in (START + 5, START + 10):
        run.turn_at(at)
    begin = START + 15 + step_s
    for at in range(begin - begin % 5, begin - begin % 5 + 45, 5):
        exporter.move(reads=2)
        run.turn_at(at, step_s=step_s if at == begin - begin % 5 else 0)
    run._cut_all()
    spans = sorted((frame["start"], frame["start"] + 5 * frame["n"]) for frame in run.frames())
    assert all(one[1] <= two[0] for one, two in itertools.pairwise(spans))
    assert all(end <= run.clock.time() or end <= START + 10 for _, end in spans)
    if step_s != -3600:
        assert sum(sum(frame["read_ios"]) for frame in run.frames()) == 2 * 8, "all but what the clock's jump hides"


def test_after_going_back_a_little_the_seconds_told_are_not_told_again(run, exporter):
    for at in range(START + 5, START + 35, 5):
        run.turn_at(at)
    for at in range(START + 10, START + 60, 5):
        run.turn_at(at, step_s=-20 if at == START + 10 else 0)
    run._cut_all()
    spans = sorted((frame["start"], frame["start"] + 5 * frame["n"]) for frame in run.frames())
    assert all(one[1] <= two[0] for one, two in itertools.pairwise(spans))
    assert spans[-1][1] == START + 55


def test_the_real_process_enrols_the_scraped_machine_and_stops_within_seconds(tmp_path, exporter):
    server = StubServer()
    (tmp_path / "key").write_text("the-key\n")
    flags = {"url": server.url, "key-file": tmp_path / "key", "state-dir": tmp_path / "s", "run-dir": tmp_path / "r"}
    flags |= {"from-node-exporter": exporter.url, "scrape-s": "1", "timeout-s": "2"}
    command = [sys.executable, "-m", "plimsoll_agent.cli", "run", *(f"--{name}={flags[name]}" for name in flags)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    try:
        end = time.monotonic() + 25
        while time.monotonic() < end and not server.frames:
            exporter.move(reads=5)
            time.sleep(0.1)
        process.terminate()
        assert process.wait(6) == 0, process.stderr.read()
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
        server.close()
    body = server.enrolments[-1]
    assert body["hostname"] == "db1" and body["disks"][0]["serial"] == "S-vda"
    assert body["facts"]["imported_from"] == exporter.url
    assert server.requests[0]["agent"]["boot_id"] == "booted-at-1700000000"
    assert all(frame["source"] == "import" for frame in server.frames)
    assert sum(sum(frame["read_ios"]) for frame in server.frames) > 0


def test_a_password_in_the_address_is_sent_and_not_shown(exporter):
    from plimsoll_agent.imports.scrape import Target

    target = Target(exporter.url.replace("//", "//u:p%40ss@"), "", 2)
    target.fetch()
    target.close()
    assert exporter.asked[-1]["Authorization"] == "Basic dTpwQHNz" and "ss" not in target.shown
