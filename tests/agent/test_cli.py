"""The command as people type it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from plimsoll_agent import __version__, cli
from plimsoll_agent.settings import NAMES
from tests.agent.stub_server import StubServer

SYS = Path(__file__).parents[1] / "fixtures" / "sys"


@pytest.fixture(autouse=True)
def clean(monkeypatch, tmp_path):
    for name in list(os.environ):
        if name.startswith("PLIMSOLL_"):
            monkeypatch.delenv(name)
    monkeypatch.setattr(cli, "DEFAULT_FILE", str(tmp_path / "none.conf"))


def test_flags_win_over_the_environment_and_this_over_the_file(tmp_path, monkeypatch):
    path = tmp_path / "agent.conf"
    path.write_text("url=https://file\nvantage=host\ncadence=10\nstate_dir=rel\n")
    monkeypatch.setenv("PLIMSOLL_CADENCE", "20")
    monkeypatch.setenv("PLIMSOLL_URL", "https://env")
    options = cli._parser().parse_args(["--config", str(path), "run", "--url", "https://flag"])
    values = cli._values(options)
    assert (values["url"], values["cadence"], values["vantage"]) == ("https://flag", "20", "host")
    assert values["state_dir"] == str(Path.cwd() / "rel")


def test_every_setting_has_a_flag():
    helped = cli._parser().format_help()
    for name in NAMES:
        assert "--" + name.replace("_", "-") in helped


def test_the_version_is_printed(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["--version"])
    assert ended.value.code == 0 and __version__ in capsys.readouterr().out


def test_check_says_whether_the_settings_can_be_used(tmp_path, capsys):
    assert cli.main(["--check", "--state-dir", str(tmp_path / "s"), "--url", "https://a"]) == 0
    assert cli.main(["--check", "--state-dir", str(tmp_path / "s"), "--cadence", "7"]) == 2
    assert "cadence" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    assert cli.main(["--check", "--state-dir", str(tmp_path / "file")]) == 2


def test_without_a_command_it_says_how_to_use_it(capsys):
    assert cli.main([]) == 2
    assert "usage" in capsys.readouterr().out


def test_run_without_a_server_is_refused(tmp_path, capsys):
    assert cli.main(["run", "--state-dir", str(tmp_path / "s")]) == 2
    assert "url" in capsys.readouterr().err


def test_once_prints_a_line_for_each_disk(capsys):
    assert cli.main(["once", "--seconds", "0.02", "--sys", f"{SYS}/server"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert re.match(r"\s*device\s+serial\s+IOPS", lines[0])
    assert [line.split()[0] for line in lines[1:]][:2] == ["cciss/c0d0", "dm-1"]


def test_enrol_keeps_the_token_and_says_so(tmp_path, capsys):
    server = StubServer()
    flags = ["--url", server.url, "--state-dir", str(tmp_path / "s"), "--sys", f"{SYS}/guest"]
    assert cli.main(["enrol", *flags, "--key", "wrong"]) == 1
    assert "not known" in capsys.readouterr().err
    assert cli.main(["enrol", *flags, "--key", "the-key"]) == 0
    assert (tmp_path / "s/token").read_text() == "token-1\n"
    server.close()


def test_record_ends_after_its_time_or_at_ctrl_c(tmp_path):
    path = tmp_path / "r"
    assert cli.main(["record", str(path), "--seconds", "0.1", "--every-ms", "20"]) == 0
    assert 3 <= path.read_bytes().count(b"@ ") <= 7
    process = subprocess.Popen([sys.executable, "-m", "plimsoll_agent.cli", "record", "-"], stdout=subprocess.PIPE)
    assert process.stdout.readline().startswith(b"@ ")
    process.send_signal(2)
    process.stdout.read()
    assert process.wait(10) == 0
    process.stdout.close()
