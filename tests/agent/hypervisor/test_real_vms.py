"""Real QEMU processes with throttled disks: watched while they run, restart, lose a disk, and are held by others."""

import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest

from plimsoll_agent import journal
from plimsoll_agent.cli import main
from plimsoll_agent.frames import frame_of
from plimsoll_agent.hypervisor.guests import Guest
from plimsoll_agent.hypervisor.poller import Poller
from plimsoll_agent.qmp.client import Client, QmpError
from tests.agent.stub_server import TERM, StubServer

QEMU = shutil.which("qemu-system-x86_64")
IOPS = 20
GUEST = Guest("id-web", "web-1", "vda", "vol-1", "", ())
pytestmark = pytest.mark.skipif(QEMU is None, reason="qemu-system-x86_64 is not installed")


class Provider(StubServer):
    """Its inventory has the VM's machine on this host."""

    def policy(self) -> dict:
        guest = {"machine": "id-web", "hostname": "web-1", "device": "vda", "serial": "vol-1", "wwn": None}
        return {**super().policy(), "guests": [{**guest, "terms": [dict(TERM)]}]}


class Vm:
    """A stopped VM: no guest runs, its drive is driven through the monitor's qemu-io on a second socket."""

    def __init__(self, folder) -> None:
        self.folder = folder
        self.image = folder / "image"
        self.image.write_bytes(bytes(1 << 20))
        self.socket = str(folder / "web-1.qmp")
        self.second = str(folder / "operator.sock")
        self.start()

    def start(self) -> None:
        drive = f"if=none,id=d0,format=raw,file={self.image},throttling.iops-total={IOPS}"
        flags = [
            "-name",
            "web-1",
            "-nodefaults",
            "-display",
            "none",
            "-S",
            "-accel",
            "tcg",
            "-m",
            "64",
            "-drive",
            drive,
        ]
        flags += ["-device", "virtio-blk-pci,drive=d0,id=disk0,serial=vol-1"]
        for path in (self.socket, self.second):
            flags += ["-qmp", f"unix:{path},server=on,wait=off"]
        self.process = subprocess.Popen([QEMU, *flags], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(lambda: Path(self.second).exists() and self.reads() == 0, 30)

    def reads(self) -> int | None:
        try:
            with Client(self.second) as client:
                return client.execute("query-blockstats")[0]["stats"]["rd_operations"]
        except QmpError:
            return None

    def read(self, count: int) -> None:
        with Client(self.second) as client:
            for number in range(count):
                client.execute("human-monitor-command", command_line=f'qemu-io d0 "aio_read {number * 4096} 4k"')

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def wait_for(true, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"not so within {seconds} s"
        time.sleep(0.05)


@pytest.fixture
def vm(tmp_path):
    made = Vm(tmp_path)
    yield made
    made.kill()


@pytest.fixture
def poller(vm, tmp_path, monkeypatch):
    # What is tested is what becomes of looks, not how busy the machine is that runs the tests.
    monkeypatch.setattr("plimsoll_agent.hypervisor.poller.LATE_NS", 900_000_000)
    (tmp_path / "run").mkdir()
    one = Poller(vm.socket, "web-1", str(tmp_path / "run"))
    one.assigned = {"disk0": GUEST}
    one.start()
    yield one
    one.stop()
    one.join(5)


def frames(poller: Poller, tmp_path) -> list[dict]:
    poller.stop()
    poller.join(5)
    assert not poller.is_alive()
    made = [frame_of(journal.read(path)) for path in journal.waiting(str(tmp_path / "run"))]
    return sorted((frame for frame in made if frame), key=lambda frame: frame["start"])


def counted(found: list[dict]) -> tuple[int, int]:
    """Reads in frames, and between them, as the bases tell."""
    gaps = 0
    for one, two in pairwise(found):
        gaps += max(0, two["base"]["read_ios"] - one["base"]["read_ios"] - sum(one["read_ios"]))
    return sum(sum(frame["read_ios"]) for frame in found), gaps


def test_every_request_is_counted_once_with_its_time(vm: Vm, poller: Poller, tmp_path) -> None:
    wait_for(lambda: poller.looks > 1, 20)
    vm.read(30)
    wait_for(lambda: vm.reads() == 30, 30)
    looks = poller.looks
    wait_for(lambda: poller.looks > looks + 1, 20)
    found = frames(poller, tmp_path)
    assert sum(counted(found)) == 30
    assert {(frame["source"], frame["vantage"], frame["device"]) for frame in found} == {("qmp", "host", "id-web/vda")}
    hist = [pair for frame in found for pair in frame["read_hist"]]
    assert sum(count for _, count in hist) == counted(found)[0]


def test_a_vm_that_is_started_anew_brings_no_count_below_zero_and_none_from_before(vm: Vm, poller, tmp_path) -> None:
    wait_for(lambda: poller.looks > 1, 20)
    vm.read(6)
    wait_for(lambda: vm.reads() == 6, 20)
    looks = poller.looks
    wait_for(lambda: poller.looks > looks + 1, 20)
    vm.kill()
    wait_for(lambda: "nobody listens" in poller.trouble, 20)
    vm.start()
    looks = poller.looks
    wait_for(lambda: poller.looks > looks + 1, 30)
    vm.read(3)
    wait_for(lambda: vm.reads() == 3, 20)
    looks = poller.looks
    wait_for(lambda: poller.looks > looks + 1, 20)
    found = frames(poller, tmp_path)
    assert all(count >= 0 for frame in found for count in frame["read_ios"])
    after = [frame for frame in found if frame["base"]["read_ios"] < 6]
    assert sum(counted(found)) <= 9 and sum(sum(frame["read_ios"]) for frame in after) >= 3
    assert poller.trouble == ""


def test_a_drive_that_is_unplugged_ends_its_frame_and_one_that_is_plugged_begins_another(vm, poller, tmp_path) -> None:
    wait_for(lambda: poller.looks > 2, 20)
    with Client(vm.second) as client:
        client.execute("blockdev-add", driver="null-co", node_name="n1", read_zeroes=True)
        client.execute("device_add", driver="virtio-blk-pci", drive="n1", id="disk1", serial="vol-9")
    wait_for(lambda: {one.name for one in poller.seen} == {"disk0", "disk1"}, 20)
    assert {one.serial for one in poller.seen} == {"vol-1", "vol-9"}
    poller.assigned = {"disk0": GUEST, "disk1": GUEST._replace(device="vdb", serial="vol-9")}
    looks = poller.looks
    wait_for(lambda: poller.looks > looks + 2, 20)
    poller.assigned = {"disk1": poller.assigned["disk1"]}  # the inventory moved it away
    wait_for(lambda: poller.looks > looks + 4, 20)
    assert {frame["device"] for frame in frames(poller, tmp_path)} == {"id-web/vda", "id-web/vdb"}


def test_a_socket_that_another_holds_is_said_and_used_again_when_it_is_free(vm: Vm, poller: Poller) -> None:
    wait_for(lambda: poller.looks > 0, 20)
    with Client(vm.socket):
        wait_for(lambda: "another client holds it" in poller.trouble, 20)
    wait_for(lambda: poller.trouble == "", 20)


def test_a_monitor_that_never_answers_holds_up_no_other(vm: Vm, poller: Poller, tmp_path) -> None:
    with socket.socket(socket.AF_UNIX) as mute:
        mute.bind(str(tmp_path / "mute.qmp"))
        mute.listen(8)
        other = Poller(str(tmp_path / "mute.qmp"), "mute", str(tmp_path / "run"))
        other.start()
        looks = poller.looks
        wait_for(lambda: poller.looks >= looks + 4 and other.missed >= 2, 30)
        other.stop()
        other.join(15)
    assert "no greeting" in other.trouble and other.looks == 0


def test_the_agent_on_a_hypervisor_sends_what_its_server_asks_for(vm: Vm, tmp_path, capsys) -> None:
    """The whole agent: sampler, watcher, uplink; hung up by kill -9 in the middle, and begun anew."""
    server = Provider()
    (tmp_path / "key").write_text("the-key\n")
    flags = {
        "url": server.url,
        "key-file": tmp_path / "key",
        "state-dir": tmp_path / "state",
        "run-dir": tmp_path / "mem",
        "devices": "none",
        "ebpf": "off",
        "qmp": f"{tmp_path}/*.qmp",
    }
    words = [f"--{name}={value}" for name, value in flags.items()]
    command = [sys.executable, "-m", "plimsoll_agent.cli", "run", *words]
    agent = subprocess.Popen(command)
    try:
        wait_for(lambda: list((tmp_path / "mem").glob("*.open")), 60)
        vm.read(10)
        wait_for(lambda: vm.reads() == 10, 20)
        time.sleep(2.5)
        agent.kill()
        agent.wait()
        agent = subprocess.Popen(command)
        wait_for(lambda: len(list((tmp_path / "mem").glob("*.open"))) == 1, 60)
        assert main(["--check", *words]) == 0
        time.sleep(2.5)
        agent.send_signal(signal.SIGTERM)
        agent.wait(15)
    finally:
        agent.kill()
        agent.wait()
    found = sorted(server.frames, key=lambda frame: frame["start"])
    assert {(frame["device"], frame["vantage"], frame["source"]) for frame in found} == {("id-web/vda", "host", "qmp")}
    seconds = [second for frame in found for second in range(frame["start"], frame["start"] + frame["n"])]
    assert len(seconds) == len(set(seconds))
    assert sum(counted(found)) == 10
    assert found[0]["slow"][0]["term"] == TERM["term"]
    said = capsys.readouterr().out
    assert "web-1/disk0 is web-1/vda." in said
    assert not [thread for thread in threading.enumerate() if isinstance(thread, Poller)]
