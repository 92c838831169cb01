"""The uplink child as the sampler treats it: never waited for, ended when it hangs, tried again with patience."""

import time

import pytest

from plimsoll_agent import child as module
from plimsoll_agent.child import Child
from plimsoll_agent.settings import Settings
from plimsoll_agent.state import open_state, write_atomically

NS = 1_000_000_000
# Writes down its task, then does what the file `act` says: an exit code, or "hang".
SCRIPT = """
import sys, time
with open(sys.path[0] + "/done", "a") as file:
    file.write(sys.argv[1] + "\\n")
act = open(sys.path[0] + "/act").read()
if act == "hang":
    time.sleep(60)
raise SystemExit(int(act))
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    (tmp_path / "light.py").write_text("import sys; sys.path.insert(0, __file__.rpartition('/')[0])\n" + SCRIPT)
    (tmp_path / "act").write_text("0")
    monkeypatch.setattr(module, "LIGHT", str(tmp_path / "light.py"))
    return tmp_path


@pytest.fixture
def child(place):
    state = open_state(Settings({"state_dir": str(place / "state"), "run_dir": str(place / "run")}))
    one = Child(state, {})
    yield one
    one.end()


def finish(child, at_ns):
    end = time.monotonic() + 10
    while child.running and time.monotonic() < end:
        time.sleep(0.01)
        child.leave(at_ns)
    assert not child.running


def done(place):
    return (place / "done").read_text().split() if (place / "done").exists() else []


def test_one_is_started_when_wanted_and_not_before(child, place):
    child.tend(NS)
    assert not child.running
    child.want(3 * NS)
    child.tend(2 * NS)
    assert not child.running
    child.tend(3 * NS)
    assert child.running
    finish(child, 4 * NS)
    child.tend(5 * NS)
    assert not child.running and done(place) == ["look"]


def test_a_wish_while_one_is_at_work_is_kept_for_later(child, place):
    child.want(1)
    child.tend(NS)
    child.want(NS)
    child.tend(NS + 1)
    finish(child, 2 * NS)
    child.tend(3 * NS)
    finish(child, 4 * NS)
    assert done(place) == ["look", "send"]


def test_other_disks_are_looked_at(child, place):
    for look in (False, False, True, False):
        child.want(1, look=look)
        child.tend(NS)
        finish(child, NS)
    assert done(place) == ["look", "send", "look", "send"]


def test_one_that_hangs_is_ended_after_fifty_seconds(child, place):
    (place / "act").write_text("hang")
    child.want(1)
    child.tend(NS)
    child.leave(NS + 50 * NS)
    assert child.running
    child.leave(NS + 51 * NS)
    finish(child, NS + 52 * NS)
    assert child.retry_ns > 52 * NS


def test_after_a_failure_frames_are_packed_until_it_is_time_to_send_again(child, place):
    (place / "act").write_text("75")
    child.want(1)
    child.tend(10 * NS)
    finish(child, 10 * NS)
    assert 11 * NS <= child.retry_ns <= 12 * NS
    (place / "act").write_text("0")
    child.want(10 * NS)
    child.tend(10 * NS + 1)
    finish(child, 10 * NS + 2)
    assert child.retry_ns, "packing says nothing about the server"
    child.tend(13 * NS)
    finish(child, 13 * NS)
    assert done(place) == ["look", "pack", "look"] and child.retry_ns == 0, (
        "what could not be looked at is looked at again"
    )


def test_patience_grows_to_five_minutes_with_moments_of_its_own(child):
    waits = []
    for _ in range(24):
        child._fail(0)
        waits.append(child.retry_ns / NS)
    assert all(1 <= wait <= 2 for wait in waits[:9]), "a server being started finds its agents soon"
    assert all(150 <= wait <= 300 for wait in waits[-5:])
    assert len(set(waits)) > 12


def test_the_server_may_ask_for_more_time(child, place):
    write_atomically(f"{place}/run/uplink", b"retry_after_s 120\n")
    child._fail(0)
    assert 120 * NS <= child.retry_ns <= 150 * NS


def test_a_machine_that_can_start_no_process_goes_on(child, monkeypatch):
    def refused(*args, **named):
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(module.os, "posix_spawn", refused)
    child.want(1)
    child.tend(NS)
    assert not child.running and child.retry_ns > NS
