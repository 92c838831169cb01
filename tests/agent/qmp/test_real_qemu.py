"""A real QEMU with a throttled disk: its histograms, its sums and its throttle must agree."""

import json
import shutil
import subprocess
import time

import pytest

from plimsoll_agent import cli
from plimsoll_agent.core.r40 import slow_between
from plimsoll_agent.qmp import drives
from plimsoll_agent.qmp.client import Client, QmpError

QEMU = shutil.which("qemu-system-x86_64")
IOPS = 20
pytestmark = pytest.mark.skipif(QEMU is None, reason="qemu-system-x86_64 is not installed")


@pytest.fixture
def machine(tmp_path):
    """A stopped VM: no guest runs, its drive is driven through the monitor's qemu-io."""
    (tmp_path / "image").write_bytes(bytes(1 << 20))
    drive = f"if=none,id=d0,format=raw,file={tmp_path}/image,throttling.iops-total={IOPS}"
    flags = ["-nodefaults", "-display", "none", "-S", "-accel", "tcg", "-m", "64", "-drive", drive]
    flags += ["-device", "virtio-blk-pci,drive=d0,id=disk0,serial=guest-disk-7"]
    flags += ["-qmp", f"unix:{tmp_path}/qmp,server=on,wait=off"]
    process = subprocess.Popen([QEMU, *flags], stderr=subprocess.PIPE)
    end = time.monotonic() + 20
    while not (tmp_path / "qmp").exists() and time.monotonic() < end:
        assert process.poll() is None, process.stderr.read().decode()
        time.sleep(0.05)
    yield str(tmp_path / "qmp")
    process.kill()
    process.wait()
    process.stderr.close()


def submit(client, command, count):
    for number in range(count):
        line = f'qemu-io d0 "{command} {number * 4096} 4k"'
        client.execute("human-monitor-command", command_line=line)


def settle(client, ios):
    end = time.monotonic() + 20
    while time.monotonic() < end:
        drive = drives.read(client)["disk0"]
        if sum(drive.ios.values()) >= ios:
            return drive
        time.sleep(0.05)
    raise AssertionError(f"only {drive.ios} of {ios}")


def test_a_throttled_drive_is_slow_by_its_throttle_and_exactly_counted(machine):
    with Client(machine) as client:
        assert drives.watch(client) == {"disk0": drives.OURS}
        before = drives.read(client)["disk0"]
        assert before.serial == "guest-disk-7" and before.ios == {"read": 0, "write": 0}
        submit(client, "aio_read", 12)
        submit(client, "aio_write", 4)
        did = drives.between(before, settle(client, 16))
    assert did.ios == {"read": 12, "write": 4} and did.bytes == {"read": 12 * 4096, "write": 4 * 4096}
    assert {way: sum(hist.values()) for way, hist in did.hists.items()} == did.ios
    # At 20 a second the burst of one tenth of a second passes, the rest waits 50 ms more each.
    low, high = slow_between(did.hists["read"], 15_000)
    assert low == high >= 8
    for way in ("read", "write"):
        low_ns = sum(count * (drives.BOUNDARIES_NS[at] if at >= 0 else 0) for at, count in did.hists[way].items())
        assert low_ns <= did.ns[way] <= low_ns * 1.07 + 10_000 * did.ios[way]


def test_a_histogram_of_somebody_else_is_left_alone(machine, capsys):
    with Client(machine) as client:
        path = client.execute("query-blockstats")[0]["qdev"]
        client.execute("block-latency-histogram-set", id=path, boundaries=[1000, 1_000_000])
        assert drives.watch(client) == {"disk0": drives.FOREIGN}
        assert drives.read(client)["disk0"].hists is None
    assert cli.main(["qmp", machine, "--seconds", "0", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["drive"] == "disk0" and told["histogram"] == "foreign" and told["slow_low"] is None


def test_a_refused_command_and_a_dead_socket_are_said(machine, tmp_path, capsys):
    with Client(machine) as client, pytest.raises(QmpError, match="no-such-command"):
        client.execute("no-such-command")
    assert cli.main(["qmp", str(tmp_path / "nowhere")]) == 1
    assert "nowhere" in capsys.readouterr().err
