"""When a disk is asked, by readers that may hang, fail or be refused; the counters and the device are made up."""

import errno
import os
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from plimsoll_agent.canary.reads import MOST_AT_ONCE, Canary
from plimsoll_agent.core.counters import FIELDS

NS = 10**9
READS = FIELDS.index("read_ios")


class Disk:
    """A watch as the canary sees it."""

    def __init__(self, device="vda", guest=None):
        self.device = device
        self.disk = SimpleNamespace(number="254:0")
        self.guest = guest
        self.counters = (0,) * len(FIELDS)

    def completes(self, reads):
        self.counters = tuple(count + reads * (place == READS) for place, count in enumerate(self.counters))


class Device:
    """What readers do, written to a file because they are processes of their own."""

    def __init__(self, folder):
        self.folder = folder
        self.log = folder / "log"
        self.log.touch()
        self.failing = 0
        self.closed = 0
        self.gate = None

    def open(self, path, number):
        if self.closed:
            raise OSError(self.closed, "closed")
        return os.open(self.log, os.O_WRONLY | os.O_APPEND)

    def read(self, fd, seed):
        os.write(fd, f"{seed}\n".encode())
        while self.gate is not None and not self.gate.exists():
            time.sleep(0.01)
        if self.failing:
            raise OSError(self.failing, "failing")
        return 0

    @property
    def seeds(self):
        return [int(line) for line in self.log.read_text().split()]


@pytest.fixture
def device(tmp_path):
    return Device(tmp_path)


@pytest.fixture
def canary(device):
    one = Canary(5, seed=100, folder=str(device.folder), open_disk=device.open, read=device.read)
    yield one
    one.end()
    for pid in one._readers:
        os.waitpid(pid, 0)


def gone(canary):
    """Every reader that can end has ended, and waits for its parent to take leave of it."""
    for pid in canary._readers:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


def tend(canary, seconds, *disks, wait=True):
    news = []
    for second in seconds:
        news += canary.tend(second * NS, disks)
        if wait:
            gone(canary)
    return news


def test_an_idle_disk_is_asked_every_five_seconds_at_another_place_each_time(canary, device):
    disk = Disk()
    sent = []
    for second in range(21):
        before = canary.sent
        assert tend(canary, [second], disk) == []
        if canary.sent > before:
            sent.append(second)
            disk.completes(1)  # the counters hold the canary's own read
    assert sent == [5, 10, 15, 20] and canary.sent == 4
    assert device.seeds == [101, 102, 103, 104]


def test_a_disk_that_is_used_is_left_alone(canary, device):
    disk = Disk()
    for second in range(30):
        disk.completes(second % 4 == 0)
        tend(canary, [second], disk)
    assert canary.sent == 0 and device.seeds == []


def test_a_disk_that_does_not_answer_and_a_guests_volume_are_left_alone(canary):
    mute, lent = Disk("vdb"), Disk("vdc", guest=object())
    mute.counters = ()
    tend(canary, range(20), mute, lent)
    assert canary.sent == 0


def test_while_one_hangs_no_other_is_sent_to_its_disk_and_nobody_waits(canary, device, tmp_path):
    device.gate = tmp_path / "gate"
    disk, other = Disk(), Disk("vdb")
    begun = time.monotonic()
    tend(canary, range(6), disk, wait=False)
    assert canary.sent == 1
    device.gate = None
    news = tend(canary, range(6, 15), disk, other, wait=False)
    assert news == ["a canary read of vda hangs"] == canary.troubles()
    assert time.monotonic() - begun < 1.0
    assert canary.sent == 2, "the other disk was asked at 11 s, this one was not asked again"
    (tmp_path / "gate").touch()
    gone(canary)
    disk.completes(1)
    assert tend(canary, range(15, 22), disk) == ["canary reads of vda are answered again"]
    assert canary.troubles() == [] and canary.sent == 4


def test_no_more_than_a_few_hang_at_a_time(canary, device, tmp_path):
    device.gate = tmp_path / "gate"
    disks = [Disk(f"vd{letter}") for letter in "abcdefgh"]
    tend(canary, range(30), *disks, wait=False)
    assert canary.sent == MOST_AT_ONCE
    assert len(canary.troubles()) == MOST_AT_ONCE


@pytest.mark.parametrize(
    ("code", "word"),
    [(errno.EACCES, "root or the group disk"), (errno.ENOENT, "sees no devices"), (errno.ENXIO, "No such device")],
)
def test_a_disk_that_cannot_be_opened_is_named_once_and_not_tried_again(canary, device, code, word):
    device.closed = code
    news = tend(canary, range(40), Disk())
    assert len(news) == 1 and news == canary.troubles()
    assert "no canary for vda" in news[0] and word in news[0]
    assert canary.sent == 0 and device.seeds == []


def test_a_disk_that_cannot_be_opened_just_now_is_named_once_and_tried_again(canary, device):
    device.closed = errno.ENFILE
    disk = Disk()
    [word] = tend(canary, range(24), disk)
    assert "no canary for vda" in word and canary.sent == 0
    device.closed = 0
    assert tend(canary, range(24, 28), disk) == ["canary reads of vda are answered again"]
    assert canary.sent == 1


def test_a_disk_that_takes_no_block_of_this_size_is_not_asked_again(canary, device):
    device.failing = errno.EINVAL
    [word] = tend(canary, range(40), Disk())
    assert "no canary for vda" in word and canary.sent == 0 and len(device.seeds) == 1


def test_a_disk_that_fails_is_named_once_and_asked_on(canary, device):
    device.failing = errno.EIO
    disk = Disk()
    assert tend(canary, range(21), disk) == ["a canary read of vda failed: Input/output error"]
    assert canary.sent == 4
    device.failing = 0
    assert tend(canary, range(21, 30), disk) == ["canary reads of vda are answered again"]


def test_a_reader_holds_nothing_of_the_agents(device, tmp_path):
    held = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)

    def look(path, number):
        listed = sorted(path.name for path in Path("/proc/self/fd").iterdir())
        (tmp_path / "fds").write_text(" ".join(listed))
        return device.open(path, number)

    canary = Canary(5, folder=str(tmp_path), open_disk=look, read=device.read)
    tend(canary, range(6), Disk())
    os.close(held)
    assert held > 2
    assert (tmp_path / "fds").read_text() == "0 1 2 3", "3 is the listing itself"


def test_a_disk_that_goes_takes_its_trouble_along_and_its_reader_is_still_taken_leave_of(canary, device, tmp_path):
    device.gate = tmp_path / "gate"
    tend(canary, range(12), Disk(), wait=False)
    assert canary.troubles()
    tend(canary, range(12, 14), wait=False)
    assert canary.troubles() == [] and len(canary._readers) == 1
    (tmp_path / "gate").touch()
    gone(canary)
    tend(canary, [14])
    assert canary._readers == {}
