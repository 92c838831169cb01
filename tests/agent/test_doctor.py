"""What the doctor says, and when it says that something is wrong."""

import json
import time
from pathlib import Path

import pytest

from plimsoll_agent import cli
from plimsoll_agent.state import pairs_to_bytes
from tests.agent.stub_server import StubServer
from tests.agent.test_spool import fill

SYS = Path(__file__).parents[1] / "fixtures" / "sys"


@pytest.fixture
def server():
    stub = StubServer()
    yield stub
    stub.close()


@pytest.fixture
def ask(tmp_path, server, capsys):
    def examine(*flags, status=None):
        (tmp_path / "state").mkdir(exist_ok=True, mode=0o700)
        (tmp_path / "state/token").write_text("t\n")
        if status is not None:
            (tmp_path / "state/sampler").write_bytes(pairs_to_bytes(status))
        flags = [
            "--state-dir",
            str(tmp_path / "state"),
            "--run-dir",
            str(tmp_path / "run"),
            "--url",
            server.url,
            *flags,
        ]
        code = cli.main(["doctor", "--json", "--sys", f"{SYS}/guest", "--proc", str(tmp_path / "proc"), *flags])
        told = json.loads(capsys.readouterr().out)
        assert told["well"] == (code == 0)
        return code, told["findings"]

    return examine


def well(**change):
    return {
        "pid": 1,
        "at": int(time.time()),
        "samples": 60_000,
        "late": 3,
        "lost_s": 0,
        "cadence_ms": 100,
        "cpu_ms": 900,
    } | change


def about(findings, topic):
    return [(item["verdict"], item["text"]) for item in findings if item["topic"] == topic]


def test_a_well_agent_is_well(ask):
    code, findings = ask(status=well(devices="vda"))
    assert code == 0
    [(verdict, disk)] = about(findings, "disk")
    assert verdict == "ok" and "256.0 GiB" in disk and "overlayblk" in disk
    [(verdict, sampler)] = about(findings, "sampler")
    assert verdict == "ok" and "every 100 ms" in sampler
    assert about(findings, "server")[0][0] == "ok" and about(findings, "clock")[0][0] == "ok"
    assert "loop0, loop1 are left out" in about(findings, "skipped")[0][1]


def test_the_canary_is_told_off_by_default_and_with_its_reads_where_it_is_on(ask):
    _, findings = ask(status=well())
    assert [verdict for verdict, _ in about(findings, "canary")] == ["ok"]
    assert "canary is off" in about(findings, "canary")[0][1]
    _, findings = ask("--canary-s", "30", "--devices", "vdz", status=well(canary_reads=12))
    assert about(findings, "canary") == [("ok", "Canary reads since it began: 12.")]


def test_nothing_is_changed_by_looking(ask, tmp_path):
    ask(status=well())
    before = sorted(str(path) for path in tmp_path.rglob("*"))
    ask()
    assert sorted(str(path) for path in tmp_path.rglob("*")) == before
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("change", "verdict"),
    [({"at": 1_000}, "fault"), ({"late": 600}, "warning"), ({"lost_s": 4}, "warning"), ({"stopped": 1}, "warning")],
)
def test_a_sampler_that_is_silent_late_or_stopped_is_named(ask, change, verdict):
    code, findings = ask(status=well(**change))
    assert about(findings, "sampler")[0][0] == verdict
    assert code == {"warning": 1, "fault": 2}[verdict]


def test_a_server_that_is_not_there_is_a_fault(ask):
    code, findings = ask("--url", "http://127.0.0.1:9", status=well())
    assert code == 2 and about(findings, "server")[0][0] == "fault"


def test_a_token_on_an_open_road_is_warned_of(ask):
    _, findings = ask("--url", "http://192.0.2.1", "--timeout-s", "1", status=well())
    assert "not encrypted" in about(findings, "server")[0][1]


def test_a_disk_that_is_named_and_missing_is_a_fault(ask):
    code, findings = ask("--devices", "vda,vdz", status=well())
    assert code == 2
    assert [item["verdict"] for item in findings if item.get("devices") == ["vdz"]] == ["fault"]


def test_no_key_and_no_token_is_a_fault(ask, tmp_path):
    ask(status=well())
    (tmp_path / "state/token").unlink()
    code = cli.main(["doctor", "--state-dir", str(tmp_path / "state"), "--sys", f"{SYS}/guest"])
    assert code == 2


def test_waiting_frames_and_drops_are_told(ask, tmp_path):
    ask(status=well())
    fill(tmp_path / "state/spool", 3)
    (tmp_path / "state/uplink").write_bytes(pairs_to_bytes({"dropped": 5, "trouble": "the server is away"}))
    _, findings = ask()
    [(verdict, text)] = about(findings, "spool")
    assert verdict == "warning" and text.startswith("3 frames wait") and "5 were dropped" in text
    assert about(findings, "uplink") == [("warning", "The last upload failed: the server is away.")]


def test_a_cap_of_a_control_group_is_named(ask, tmp_path):
    import shutil

    shutil.copytree(SYS / "guest", tmp_path / "capped")
    group = tmp_path / "capped/fs/cgroup/db.slice"
    group.mkdir(parents=True)
    (group / "io.max").write_text("254:0 rbps=max wbps=max riops=500 wiops=max\n")
    (tmp_path / "capped/block/vda/queue/nr_requests").write_text("32\n")
    _, findings = ask("--sys", str(tmp_path / "capped"), status=well())
    texts = [text for _, text in about(findings, "cap")]
    assert any("/db.slice" in text and "riops=500" in text for text in texts)
    assert any("32 requests" in text for text in texts)
