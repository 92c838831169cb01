"""Keepers: restarted alone, stopped in turn, nothing left behind."""

import itertools
import os
import signal
import time

import pytest

from scripts.locks import Lock, holder_of
from tests.setup.conftest import is_alive, wait_for


def children_of(pid: int) -> list[int]:
    with open(f"/proc/{pid}/task/{pid}/children") as listed:  # noqa: PTH123
        return [int(word) for word in listed.read().split()]


def test_a_killed_process_is_started_again_within_two_seconds(kept):
    keeper = kept("web", "sleep 60")
    first = wait_for(keeper.pid)
    os.kill(first, signal.SIGKILL)
    begin = time.monotonic()
    second = wait_for(lambda: keeper.other_pid_than(first))
    assert time.monotonic() - begin < 2
    assert is_alive(second)
    assert keeper.process.poll() is None
    assert "was killed by SIGKILL, starting it again" in keeper.stop()
    assert not is_alive(second)


def test_what_keeps_failing_is_started_ever_more_slowly(kept, tmp_path):
    starts = tmp_path / "starts"
    keeper = kept("web", f"sh -c 'date +%s.%N >> {starts}; exit 3'")
    times = wait_for(lambda: starts.is_file() and len(lines := starts.read_text().split()) >= 4 and lines)
    gaps = [float(after) - float(before) for before, after in itertools.pairwise(times)]
    assert gaps[0] < gaps[1] < gaps[2]
    assert "ended with 3" in keeper.stop()


@pytest.mark.parametrize("in_background", [False, True])
def test_stop_reaches_the_process_as_its_own_signal_and_it_may_finish(kept, tmp_path, in_background):
    done, ready = tmp_path / "done", tmp_path / "ready"
    trap = f"sh -c 'trap \"sleep 0.3; touch {done}; exit 0\" INT; touch {ready}; while :; do sleep 0.05; done'"
    keeper = kept("postgres", trap, in_background=in_background, stop_signal=int(signal.SIGINT))
    wait_for(ready.is_file)
    keeper.stop()
    assert done.is_file()


def test_what_does_not_stop_is_killed_with_all_its_children(kept):
    keeper = kept("web", "sh -c 'trap \"\" TERM; sleep 60 & while :; do sleep 0.1; done'", stop_wait_s=0.5)
    pid = wait_for(keeper.pid)
    grandchild = wait_for(lambda: children_of(pid))[0]
    assert "killing it" in keeper.stop()
    assert not is_alive(pid)
    wait_for(lambda: not is_alive(grandchild))


def test_children_of_a_dead_process_do_not_outlive_it(kept):
    keeper = kept("web", "sh -c 'sleep 60 & wait'")
    pid = wait_for(keeper.pid)
    orphan = wait_for(lambda: children_of(pid))[0]
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: keeper.other_pid_than(pid))
    wait_for(lambda: not is_alive(orphan))


def test_no_process_outlives_a_killed_keeper(kept):
    keeper = kept("web", "sleep 60")
    pid = wait_for(keeper.pid)
    keeper.process.kill()
    wait_for(lambda: not is_alive(pid))


def test_the_process_is_stopped_when_nobody_holds_the_house_any_more(kept, tmp_path):
    house = Lock(tmp_path / "run.lock")
    assert house.take()
    keeper = kept("web", "sleep 60", while_held=tmp_path / "run.lock")
    pid = wait_for(keeper.pid)
    time.sleep(0.7)  # longer than a keeper's look at the lock
    assert is_alive(pid)
    house.release()
    wait_for(lambda: keeper.process.poll() is not None)
    assert not is_alive(pid)


def test_processes_stop_in_turn(kept, tmp_path):
    order = tmp_path / "order"

    def command(name: str) -> str:
        trap = f'trap "sleep 0.2; echo {name} >> {order}; exit" TERM'
        return f"sh -c '{trap}; touch {tmp_path}/{name}.up; while :; do sleep 0.05; done'"

    agent = kept("agent", command("agent"))
    web = kept("web", command("web"), after=("agent",))
    for name in ("agent", "web"):
        wait_for((tmp_path / f"{name}.up").is_file)
    web.process.terminate()
    agent.process.terminate()
    wait_for(lambda: order.is_file() and order.read_text().split() == ["agent", "web"])


def test_a_process_is_kept_once_only(kept, tmp_path):
    first = kept("web", "sleep 60")
    wait_for(first.pid)
    second = kept("web", "sleep 60")
    said, _ = second.process.communicate(timeout=10)
    assert f"it is kept already, by process {first.process.pid}" in said
    assert holder_of(tmp_path / "web.keeper") == first.process.pid


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_stopped_keeper_leaves_no_pid_file(kept, tmp_path, number):
    keeper = kept("web", "sleep 60")
    wait_for(keeper.pid)
    keeper.stop(number)
    assert keeper.process.returncode == 0
    assert not (tmp_path / "web.pid").exists()
