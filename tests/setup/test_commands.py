"""The commands as a person gives them: what is wrong is one sentence, and nothing was started."""

import socket
import subprocess
import sys

import pytest

from scripts import bench, procfile, run
from scripts.locks import holder_of
from scripts.member import AFTER, STOP_WAIT_S
from scripts.paths import ROOT
from scripts.problem import Problem
from tests.setup.conftest import wait_for
from tests.setup.test_locks import hold


def make(*words: str) -> subprocess.CompletedProcess:
    return subprocess.run(["make", *words], cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_taken_port_ends_make_run_before_anything_is_set_up(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "RUN_LOCK", tmp_path / "run.lock")
    monkeypatch.setattr(run, "set_up", lambda _: pytest.fail("set up although the port is taken"))
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)
        with pytest.raises(Problem, match="is taken by another program"):
            run.run(listener.getsockname()[1])


def test_a_second_make_run_is_told_of_the_first_one(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "RUN_LOCK", tmp_path / "run.lock")
    other = hold(tmp_path / "run.lock")
    try:
        wait_for(lambda: holder_of(tmp_path / "run.lock"))
        with pytest.raises(Problem, match=rf"already runs in this checkout.*process {other.pid}.*make stop"):
            run.run(1)
    finally:
        other.kill()
        other.wait()


def test_a_problem_is_printed_without_a_traceback():
    done = subprocess.run(
        [sys.executable, "-m", "scripts", "bench", "nothing"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "Plimsoll: " in done.stderr


def test_an_unknown_benchmark_is_told_which_there_are():
    done = make("-s", "bench-nothing-of-the-kind")
    assert done.returncode != 0
    assert "there is no benchmark 'nothing_of_the_kind'" in done.stderr


def test_benchmarks_are_modules_and_packages_that_can_be_run_and_helpers_are_not(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "FOLDER", tmp_path)
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "__main__.py").touch()
    (tmp_path / "library").mkdir()
    (tmp_path / "ingest.py").write_text('if __name__ == "__main__":\n    main()\n')
    (tmp_path / "lab.py").write_text("def read():\n    pass\n")
    (tmp_path / "notes.md").write_text("__main__")
    assert bench.all_names() == ["agent", "ingest"]


def test_help_lists_every_target():
    listed = make("help").stdout
    for target in ("run", "demo", "test", "lint", "bench", "bench-%", "soak", "screenshots", "stop", "clean"):
        assert f"make {target}" in listed


def test_the_house_stops_agent_beat_worker_and_web_in_turn():
    names = {name for file in ("Procfile", "Procfile.demo") for name in procfile.read_procfile(ROOT / file)}
    assert names == AFTER.keys() == STOP_WAIT_S.keys()
    order, left = [], dict(AFTER)
    while left:
        free = [name for name, others in left.items() if set(others) <= set(order)]
        assert free, f"{left} wait for each other"
        order += free
        left = {name: others for name, others in left.items() if name not in free}
    assert order == ["agent", "demo", "beat", "worker", "web"]
    assert sum(STOP_WAIT_S.values()) < 20
