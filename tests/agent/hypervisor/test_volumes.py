"""Block devices of a hypervisor that are its guests' disks: found by their links, watched finely, sent as such."""

import signal

import pytest

from plimsoll_agent.hypervisor import volumes
from plimsoll_agent.hypervisor.guests import Guest
from plimsoll_agent.hypervisor.volumes import Volumes, kernel_name
from plimsoll_agent.kernel.blockdev import block_devices
from plimsoll_agent.policy import Policy, to_plain
from plimsoll_agent.state import write_atomically
from tests.agent.simulated import TERM, Disk, Machine

WEB = Guest("id-web", "web-1", "vda", "vol-1", "", (TERM,))
DB = Guest("id-db", "db-1", "vda", "", "", ())


@pytest.fixture
def dev(tmp_path, monkeypatch):
    """A /dev with the links that LVM, ZFS and Ceph make."""
    folder = tmp_path / "dev"
    for name in ("dm-3", "zd16", "rbd0"):
        folder.mkdir(exist_ok=True)
        (folder / name).touch()
    for link, name in (
        ("vg0/web", "dm-3"),
        ("mapper/vg0-web", "dm-3"),
        ("zvol/tank/db", "zd16"),
        ("rbd/p/img", "rbd0"),
    ):
        path = folder / link
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(folder / name)
    monkeypatch.setattr(volumes, "DEV", f"{folder}/")
    return folder


def test_links_lead_to_the_kernels_name(dev) -> None:
    for path, name in (
        ("vg0/web", "dm-3"),
        ("mapper/vg0-web", "dm-3"),
        ("zvol/tank/db", "zd16"),
        ("rbd/p/img", "rbd0"),
    ):
        assert kernel_name(f"{dev}/{path}") == name
    assert kernel_name("dm-7") == "dm-7"


def test_each_line_is_found_or_says_why_not(dev, tmp_path) -> None:
    for name in ("dm-3", "zd16"):
        Disk(tmp_path / "sys", name)
    lines = ["dm-3,web-1,vda", "zd16,db-9,vda", "rbd0,db-1,vda", "sdz,db-1,vdb"]
    (tmp_path / "map").write_text("\n".join(lines) + "\n")
    found = Volumes(str(tmp_path / "map"))
    pairs = found.found(block_devices(str(tmp_path / "sys"), (6, 18)), [WEB, DB])
    assert [(device.device, guest.hostname) for device, guest in pairs] == [("dm-3", "web-1")]
    assert [word.partition("map:")[2] for word in found.words] == [
        "2: the server places no machine 'db-9' on this host",
        "3: this host has no block device 'rbd0'",
        "4: this host has no block device 'sdz'",
    ]
    assert found.lent() == {"dm-3", "zd16", "rbd0", "sdz"}


def test_two_names_of_one_device_or_of_one_disk_are_told(dev, tmp_path) -> None:
    for name in ("dm-3", "dm-4"):
        Disk(tmp_path / "sys", name)
    (tmp_path / "map").write_text("dm-3,web-1,vda\ndm-4,id-web,vol-1\n")
    found = Volumes(str(tmp_path / "map"))
    assert len(found.found(block_devices(str(tmp_path / "sys"), (6, 18)), [WEB, DB])) == 1
    assert found.words[0].endswith("dm-4 is the device, or leads to the disk, of line 1 already")


@pytest.fixture
def handlers():
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    yield
    for number, handler in zip((signal.SIGTERM, signal.SIGINT), before, strict=True):
        signal.signal(number, handler)


@pytest.mark.usefixtures("handlers")
def test_the_fine_loop_sends_a_volume_as_its_guests_disk_and_not_as_its_own(tmp_path, monkeypatch) -> None:
    (tmp_path / "map").write_text("vda,web-1,vda\n")
    machine = Machine(tmp_path, monkeypatch)
    machine.settings.disk_map = str(tmp_path / "map")
    write_atomically(machine.state.policy, to_plain(Policy(finest_ms=100, guests=[WEB])))
    machine.clock.at(10.2, lambda: machine.disk.add(reads=40, read_ms=20))
    machine.run(80)
    frames = machine.frames()
    assert {(frame["device"], frame["serial"], frame["vantage"]) for frame in frames} == {
        ("id-web/vda", "vol-1", "host")
    }
    assert sum(sum(frame["read_ios"]) for frame in frames) == 40
    assert frames[0]["slow"][0]["term"] == TERM.term
    assert all("machine" not in frame for frame in frames)
