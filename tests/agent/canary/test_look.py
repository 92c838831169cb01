"""What the doctor and --check say of the canary."""

import errno
import os
from pathlib import Path

import pytest

from plimsoll_agent import cli
from plimsoll_agent.canary import look
from plimsoll_agent.settings import Settings

SYS = Path(__file__).parents[2] / "fixtures" / "sys" / "guest"


def settings(tmp_path, **values):
    return Settings({"sys": str(SYS), "proc": str(tmp_path), **values})


def test_off_is_said(tmp_path):
    [(well, sentence)] = look.sentences(settings(tmp_path))
    assert well and "canary is off" in sentence


def test_a_disk_that_can_be_opened_is_named_with_how_often(tmp_path, monkeypatch):
    opened = []

    def open_disk(path, number):
        opened.append((path, number))
        return os.open(os.devnull, os.O_RDONLY)

    monkeypatch.setattr(look, "open_disk", open_disk)
    [(well, sentence)] = look.sentences(settings(tmp_path, canary_s="30"))
    assert well and sentence == "The canary reads 4 KiB of vda after 30 s without an I/O, and never writes."
    assert opened == [("/dev/vda", "254:0")]


def test_a_disk_that_cannot_is_named_with_what_is_needed(tmp_path, monkeypatch):
    def open_disk(path, number):
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(look, "open_disk", open_disk)
    [(well, sentence)] = look.sentences(settings(tmp_path, canary_s="30"))
    assert not well and sentence.startswith("No canary for vda") and "root or the group disk" in sentence


def test_a_node_exporters_disks_cannot_be_asked(tmp_path):
    page = "http://127.0.0.1:9100/metrics"
    [(well, sentence)] = look.sentences(settings(tmp_path, canary_s="30", from_node_exporter=page))
    assert not well and "node_exporter" in sentence


@pytest.mark.parametrize(("seconds", "told"), [("0", False), ("30", True)])
def test_check_names_it_where_it_is_on(tmp_path, capsys, monkeypatch, seconds, told):
    def open_disk(path, number):
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)

    monkeypatch.setattr(look, "open_disk", open_disk)
    flags = ["--sys", str(SYS), "--proc", str(tmp_path), "--state-dir", str(tmp_path / "s"), "--canary-s", seconds]
    assert cli.main(["--check", *flags]) == 0
    assert ("but: No canary for vda" in capsys.readouterr().out) == told
