"""The command on real files: both engines, fsync, a lie."""

import json
import shutil

import pytest

from plimsoll_agent import cli
from plimsoll_agent.probe.fio import step_of

QUICK = ["--seconds", "0.3", "--size-mib", "4", "--json"]


@pytest.fixture
def probe(capsys):
    def run(*words):
        code = cli.main(["probe", *map(str, words)])
        got = capsys.readouterr()
        return code, json.loads(got.out) if got.out.startswith("{") else got.out, got.err

    return run


@pytest.mark.parametrize("engine", ["own", "fio"])
@pytest.mark.parametrize("writes", [0, 40])
def test_steps_on_a_file_tell_what_was_done(probe, tmp_path, engine, writes):
    if engine == "fio" and shutil.which("fio") is None:
        pytest.skip("fio is not installed")
    code, told, _ = probe(
        tmp_path / "f", *QUICK, "--engine", engine, "--write-percent", writes, "--iops", 1, "--slow-ms", 10_000
    )
    [step] = told["steps"]
    assert code == 0 and step["met"] and told["tipping_point"] == step and told["engine"] == engine
    assert step["ios"] > 0 and step["slow"] == 0 and step["await_ms"] > 0 and 0 < step["queue"] < 1.5
    assert abs(step["iops"] * step["seconds"] - step["ios"]) <= 1 + step["ios"] // 50
    assert list(tmp_path.iterdir()) == []


def test_the_load_stays_within_its_bounds(probe, tmp_path):
    _, told, _ = probe(
        tmp_path / "f", *QUICK, "--engine", "own", "--max-iops", 50, "--max-gib", 0.001, "--slow-ms", 10_000
    )
    assert all(step["iops"] <= 50 * 1.2 + step["concurrency"] / 0.2 for step in told["steps"])
    assert sum(step["ios"] for step in told["steps"]) * 4096 <= 0.0013 * 2**30


def test_a_promise_that_nothing_keeps_has_no_tipping_point(probe, tmp_path):
    code, told, _ = probe(tmp_path / "f", *QUICK, "--engine", "own", "--slow-ms", 0.01)
    assert code == 1 and told["tipping_point"] is None and not told["steps"][0]["met"]


def test_a_file_with_data_is_refused_by_name(probe, tmp_path):
    (tmp_path / "f").write_bytes(b"mine" * 1_000_000)
    code, _, said = probe(tmp_path / "f", *QUICK, "--write-percent", 10)
    assert code == 2 and str(tmp_path / "f") in said
    assert (tmp_path / "f").read_bytes() == b"mine" * 1_000_000


@pytest.mark.parametrize("flag", [["--seconds", "0"], ["--block-bytes", "1000"], ["--write-percent", "101"]])
def test_a_bound_that_cannot_be_is_refused(probe, tmp_path, flag):
    assert probe(tmp_path / "f", *flag)[0] == 2


def test_fsync_is_measured_three_ways_and_leaves_nothing(probe, tmp_path):
    code, told, _ = probe(tmp_path / "f", *QUICK, "--fsync")
    assert code == 0 and told["several_writers"]["writers"] == 4 and told["beside_flood"]["flood_mib"] > 0
    for kind in ("alone", "beside_flood", "several_writers"):
        assert told[kind]["commits"] > 0 and told[kind]["worst_ms"] >= told[kind]["mean_ms"] > 0
    assert list(tmp_path.iterdir()) == []


def test_a_lying_disk_is_found_out(probe, tmp_path):
    log, acks = tmp_path / "log", tmp_path / "acks"
    assert probe(log, "--durability", "--blocks", 10, "--acks", acks)[0] == 0
    assert probe(log, "--verify", "--acks", acks, "--json")[1] == {
        "target": str(log),
        "acknowledged": 10,
        "missing": [],
    }
    log.write_bytes(log.read_bytes()[: 7 * 4096])
    code, said, _ = probe(log, "--verify", "--acks", acks)
    assert code == 1 and "3 of 10" in said and "7-9" in said


def test_both_directions_of_fios_document_are_one_step():
    figures = {"mean": 150_000.0, "bins": {"100000": 1, "200000": 1}}
    step = step_of({"jobs": [{"job_runtime": 500, "read": {"clat_ns": figures}, "write": {"clat_ns": figures}}]}, 2)
    assert (step.ios, step.seconds, step.sum_us) == (4, 0.5, 600.0)
