"""A real device: its reads are counted by the kernel, and one that hangs is a stall that the counters show."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from plimsoll_agent.canary.reads import Canary
from plimsoll_agent.kernel.blockdev import BlockDevice
from plimsoll_agent.kernel.diskstats import counters_of

NS = 10**9
SIZE = 64 << 20
READ_IOS, READ_SECTORS, WRITE_IOS, IN_FLIGHT = 0, 2, 4, 8


class Loop:
    """A loop device over `image`, as a watch; `read` takes its counters."""

    def __init__(self, image):
        if os.geteuid():
            pytest.skip("a loop device needs root")
        made = subprocess.run(["losetup", "--find", "--show", image], capture_output=True, text=True, check=False)
        if made.returncode:
            pytest.skip(f"no loop device: {made.stderr.strip()}")
        self.path = made.stdout.strip()
        self.device = Path(self.path).name
        self.disk = BlockDevice(self.device, f"/sys/block/{self.device}", (6, 18))
        self.guest = None
        self.read()

    def read(self):
        self.counters = counters_of(Path(self.disk.path, "stat").read_bytes().split())
        return self.counters

    def close(self):
        subprocess.run(["losetup", "--detach", self.path], check=False)


@pytest.fixture
def loop(tmp_path):
    image = tmp_path / "image"
    image.write_bytes(os.urandom(1 << 20) * 64)
    one = Loop(image)
    yield one
    one.close()


def settled(loop):
    """What made the device looks at it for a moment (udev, blkid)."""
    last = None
    while (now := loop.read()) != last:
        last = now
        time.sleep(0.3)


def wait_until(true, longest_s=10):
    until = time.monotonic() + longest_s
    while not true() and time.monotonic() < until:
        time.sleep(0.01)
    return true()


def test_each_read_is_one_io_of_eight_sectors_and_nothing_is_written(loop):
    settled(loop)
    begin = loop.counters
    canary = Canary(5)
    for second in range(31):
        loop.read()
        assert canary.tend(second * NS, [loop]) == []
        for pid in canary._readers:
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    end = loop.read()
    assert canary.sent == 6
    assert end[READ_IOS] - begin[READ_IOS] == 6
    assert end[READ_SECTORS] - begin[READ_SECTORS] == 6 * 8
    assert end[WRITE_IOS] == begin[WRITE_IOS]


def test_a_device_of_another_number_is_not_read(loop):
    settled(loop)
    begin = loop.counters
    canary = Canary(5)
    loop.disk.number = "7:999"
    news = []
    for second in range(12):
        news += canary.tend(second * NS, [loop])
        for pid in canary._readers:
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert len(news) == 1 and f"no canary for {loop.device}" in news[0]
    assert loop.read()[READ_IOS] == begin[READ_IOS] and canary.sent == 0


@pytest.fixture
def stoppable(tmp_path):
    """A loop device over a file that a daemon serves; stopping the daemon makes it hang."""
    if shutil.which("qemu-storage-daemon") is None or not Path("/dev/fuse").exists() or os.geteuid():
        pytest.skip("a disk that hangs needs root, qemu-storage-daemon and /dev/fuse")
    base, served = tmp_path / "base", tmp_path / "served"
    base.write_bytes(os.urandom(1 << 20) * 64)
    served.touch()
    node = {"driver": "raw", "node-name": "disk", "file": {"driver": "file", "filename": str(base)}}
    export = {"type": "fuse", "id": "e", "node-name": "disk", "mountpoint": str(served), "writable": True}
    words = ["qemu-storage-daemon", "--blockdev", json.dumps(node), "--export", json.dumps(export)]
    daemon = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    if not wait_until(lambda: daemon.poll() is not None or served.stat().st_size == SIZE) or daemon.poll() is not None:
        daemon.kill()
        pytest.skip("qemu-storage-daemon serves nothing here")
    loop = Loop(served)
    yield loop, daemon
    daemon.send_signal(signal.SIGCONT)
    loop.close()
    daemon.terminate()
    daemon.wait()


def test_a_disk_that_hangs_is_in_flight_in_the_counters_and_holds_up_nobody(stoppable):
    loop, daemon = stoppable
    settled(loop)
    begin = loop.counters
    canary = Canary(5, seed=1)
    daemon.send_signal(signal.SIGSTOP)
    begun = time.monotonic()
    for second in range(6):
        canary.tend(second * NS, [loop])
    assert wait_until(lambda: loop.read()[IN_FLIGHT] == 1)
    news = []
    for second in range(6, 40):
        loop.read()
        news += canary.tend(second * NS, [loop])
    assert time.monotonic() - begun < 5
    assert canary.sent == 1 and loop.counters[READ_IOS] == begin[READ_IOS]
    assert news == [f"a canary read of {loop.device} hangs"]
    daemon.send_signal(signal.SIGCONT)
    assert wait_until(lambda: loop.read()[READ_IOS] == begin[READ_IOS] + 1)
    [pid] = canary._readers
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert canary.tend(40 * NS, [loop]) == [f"canary reads of {loop.device} are answered again"]
    for pid in canary._readers:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
