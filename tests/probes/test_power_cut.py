"""A disk of QEMU's loses its power in the middle of a durability test: an honest one has all that was recorded."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sla.probes.models import Record
from tests.probes.power import Drive, Missing, needed

pytestmark = pytest.mark.django_db(transaction=True)
ENOUGH = 30


@pytest.fixture
def drive_of(tmp_path: Path) -> Iterator[Callable[[bool], Drive]]:
    drives: list[Drive] = []

    def make(lies: bool) -> Drive:
        try:
            needed()
            drives.append(Drive(tmp_path, lies=lies))
            drives[-1].switch_on()
        except Missing as missing:
            pytest.skip(str(missing))
        return drives[-1]

    yield make
    for drive in drives:
        drive.cut_the_power()


def _acknowledged(writer: subprocess.Popen[bytes]) -> int:
    """How many blocks the server knows of, once they are enough."""
    until = time.monotonic() + 60
    while time.monotonic() < until and writer.poll() is None:
        record = Record.objects.first()
        if record is not None and record.acknowledged >= ENOUGH:
            return int(record.acknowledged)
        time.sleep(0.02)
    raise AssertionError(f"the writer ended with {writer.poll()}: {writer.stderr and writer.stderr.read()!r}")


@pytest.mark.parametrize("lies", [False, True], ids=["a plain file", "a snapshot"])
def test_only_the_disk_that_lies_is_found_out(
    lies: bool,
    drive_of: Callable[[bool], Drive],
    command: Callable[..., int],
    live_server: Any,
    under: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Any,
) -> None:
    drive = drive_of(lies)
    log = drive.mounted / "log"
    where = ["--url", live_server.url, "--state-dir", tmp_path / "state", "--disk", under]
    words = [sys.executable, "-m", "plimsoll_agent.cli", "probe", log, "--durability", "--blocks", 10_000, *where]
    writer = subprocess.Popen([str(word) for word in words], stderr=subprocess.PIPE, env={**os.environ})
    _acknowledged(writer)
    drive.cut_the_power()
    writer.wait(30)  # its next write fails: there is no disk

    drive.switch_on()
    monkeypatch.setattr("plimsoll_agent.kernel.identity.boot_id", lambda proc="/proc": "after the power came back")
    code = command(log, "--verify")
    said, record = capsys.readouterr().out, Record.objects.get()
    assert record.restarted and record.acknowledged >= ENOUGH
    assert (code, record.lost) == ((1, record.acknowledged) if lies else (0, 0)), said
    assert ("The disk lies" in said) == lies
