"""The agent's own command and a real server: results, the outbox, and the server as the witness."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plimsoll_agent import cli, uplink
from plimsoll_agent.probe import durability, outbox, result, witness
from sla.fleet.models import Disk
from sla.probes.models import Probe, Record

pytestmark = pytest.mark.django_db(transaction=True)
Command = Callable[..., Any]
QUICK = ("--seconds", "0.3", "--size-mib", "4", "--engine", "own", "--slow-ms", "10000", "--iops", "1")


def test_steps_reach_the_disks_page_by_themselves(command: Command, under: str, tmp_path: Path, capsys: Any) -> None:
    assert command(tmp_path / "f", *QUICK, "--disk", under) == 0
    probe = Probe.objects.get()
    assert probe.disk == Disk.objects.get(device=under) and probe.kind == "steps"
    assert probe.said["steps"][0]["ios"] > 0 and str(tmp_path) not in json.dumps(probe.said)
    assert f"/disks/{probe.disk_id}/#probes" in capsys.readouterr().err
    assert not outbox.waiting(str(tmp_path / "state"))


def test_fsync_rates_are_told(command: Command, under: str, tmp_path: Path) -> None:
    assert command(tmp_path / "f", "--fsync", "--seconds", "0.3", "--disk", under) == 0
    assert Probe.objects.get().said["several_writers"]["writers"] == 4


def test_nothing_is_told_where_that_was_asked(command: Command, under: str, tmp_path: Path) -> None:
    assert command(tmp_path / "f", *QUICK, "--disk", under, "--no-upload") == 0
    assert not Probe.objects.exists() and not outbox.waiting(str(tmp_path / "state"))


def test_what_found_no_server_goes_with_the_agents_next_upload(
    command: Command, under: str, tmp_path: Path, live_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command(tmp_path / "f", *QUICK, "--disk", under, url="http://127.0.0.1:9") == 0
    [path] = outbox.waiting(str(tmp_path / "state"))
    for name, value in {"URL": live_server.url, "STATE_DIR": tmp_path / "state", "RUN_DIR": tmp_path / "run"}.items():
        monkeypatch.setenv(f"PLIMSOLL_{name}", str(value))
    monkeypatch.setattr(uplink._signal, "alarm", lambda seconds: 0)
    monkeypatch.setattr(os, "setpriority", lambda *given: None)
    assert uplink.main("send") == 0
    assert Probe.objects.get().uid.hex == Path(path).stem and not outbox.waiting(str(tmp_path / "state"))


def test_a_saved_result_is_sent_by_hand_and_twice_is_once(command: Command, under: str, tmp_path: Path) -> None:
    saved = tmp_path / "result.json"
    assert command(tmp_path / "f", *QUICK, "--disk", under, "--no-upload", "--save", saved) == 0
    assert [command("--upload", saved), command("--upload", saved)] == [0, 0]
    assert Probe.objects.count() == 1


def test_what_the_server_refuses_is_put_aside_with_its_reason(
    command: Command, under: str, tmp_path: Path, live_server: Any, capsys: Any
) -> None:
    saved = tmp_path / "result.json"
    assert command(tmp_path / "f", *QUICK, "--disk", under, "--no-upload", "--save", saved) == 0
    saved.write_text(json.dumps({**json.loads(saved.read_text()), "started_at": 5.0}))
    assert command("--upload", saved) == 1 and "started_at" in capsys.readouterr().err
    assert not outbox.waiting(str(tmp_path / "state"))


def test_a_machine_that_is_not_enrolled_only_shows_its_result(tmp_path: Path, capsys: Any) -> None:
    assert cli.main(["probe", str(tmp_path / "f"), *QUICK, "--state-dir", str(tmp_path / "none")]) == 0
    assert "only shown here" in capsys.readouterr().err and not (tmp_path / "none").exists()


def _rebooted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plimsoll_agent.kernel.identity.boot_id", lambda proc="/proc": "another-boot")


def test_the_server_remembers_what_a_lost_machine_had_fsynced(
    command: Command, under: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    log = tmp_path / "log"
    assert command(log, "--durability", "--blocks", 40, "--disk", under) == 0
    assert Record.objects.get().acknowledged == 40
    assert command(log, "--verify") == 0 and Record.objects.get().restarted is False
    assert "has not restarted" in capsys.readouterr().out
    log.write_bytes(log.read_bytes()[: 33 * durability.BLOCK])
    _rebooted(monkeypatch)
    assert command(log, "--verify") == 1
    assert "7 of 40" in capsys.readouterr().out
    record = Record.objects.get()
    assert (record.restarted, record.lost, record.missing) == (True, 7, [[33, 39]])


def test_a_machine_that_dies_has_told_only_what_was_fsynced(
    command: Command, under: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class PowerCut(BaseException):
        """The machine is gone: nothing below runs on."""

    synced: list[int] = []
    real = os.fsync

    def fsync(fd: int) -> None:
        if len(synced) == 25:
            time.sleep(3 * witness.EVERY_S)  # the record has time to come in, as it has between two real cuts
            raise PowerCut
        real(fd)
        synced.append(fd)

    monkeypatch.setattr(durability.os, "fsync", fsync)
    with pytest.raises(PowerCut):
        command(tmp_path / "log", "--durability", "--disk", under)
    monkeypatch.undo()
    blocks = len(synced) - 2  # the empty file and its folder came first
    assert Record.objects.get().acknowledged == blocks and Probe.objects.get().ended_at is None


def test_without_its_witness_no_block_is_written(command: Command, under: str, tmp_path: Path, capsys: Any) -> None:
    code = command(tmp_path / "log", "--durability", "--disk", under, url="http://127.0.0.1:9")
    assert code == 2 and "--acks" in capsys.readouterr().err and not (tmp_path / "log").exists()


def test_another_file_has_no_record(command: Command, under: str, tmp_path: Path, capsys: Any) -> None:
    assert command(tmp_path / "log", "--durability", "--blocks", 3, "--disk", under) == 0
    assert command(tmp_path / "other", "--verify") == 2 and "no durability test of that file" in capsys.readouterr().err
    assert result.hash_of(str(tmp_path / "log")) == Record.objects.get().target
