"""Locks: the kernel names the holder, and they end with it."""

import subprocess
import sys
from pathlib import Path

from scripts.locks import Lock, holder_of, wait_until_free
from scripts.paths import ROOT
from tests.setup.conftest import wait_for

HOLD = """
import sys, time
from pathlib import Path
from scripts.locks import Lock

Lock(Path(sys.argv[1])).take(shared={})
time.sleep(60)
"""


def hold(path, *, shared=False):
    return subprocess.Popen([sys.executable, "-c", HOLD.format(shared), str(path)], cwd=ROOT)


def test_a_lock_is_refused_while_another_process_holds_it_and_names_that_process(tmp_path):
    path = tmp_path / "lock"
    other = hold(path)
    try:
        assert wait_for(lambda: holder_of(path)) == other.pid
        assert not Lock(path).take()
    finally:
        other.kill()
        other.wait()
    assert holder_of(path) is None
    assert Lock(path).take()


def test_leases_are_shared_and_the_last_one_counts(tmp_path):
    path = tmp_path / "leases"
    first, second = hold(path, shared=True), hold(path, shared=True)
    try:
        wait_for(lambda: holder_of(path) == first.pid or holder_of(path) == second.pid)
        mine = Lock(path)
        assert mine.take(shared=True)
        mine.release()
        first.kill()
        first.wait()
        wait_for(lambda: holder_of(path) == second.pid)
        assert not wait_until_free(path, 0.1)
    finally:
        second.kill()
        second.wait()
        first.kill()
    assert wait_until_free(path, 0)


def test_a_lock_outlives_exec_and_ends_with_the_program_that_came_after(tmp_path):
    path = tmp_path / "lock"
    code = (
        "import os, sys; from pathlib import Path; from scripts.locks import Lock\n"
        "lock = Lock(Path(sys.argv[1])); lock.take(); lock.keep_over_exec(); os.execv('/bin/sleep', ['sleep', '60'])"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(path)], cwd=ROOT)
    try:
        wait_for(lambda: Path(f"/proc/{process.pid}/cmdline").read_bytes().startswith(b"sleep"))
        assert holder_of(path) == process.pid
    finally:
        process.kill()
        process.wait()
    assert holder_of(path) is None


def test_nobody_holds_a_file_that_is_not_there(tmp_path):
    assert holder_of(tmp_path / "nothing") is None
