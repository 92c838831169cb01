"""A real libvirt with a real, paused VM: its bulk statistics become the host's side of the guest's disk."""

import shutil
import subprocess
import time

import pytest

from plimsoll_agent import spool
from plimsoll_agent.cli import main
from plimsoll_agent.hypervisor import bulk
from plimsoll_agent.hypervisor.bulk import Bulk
from plimsoll_agent.hypervisor.guests import Guest
from plimsoll_agent.hypervisor.libvirt import LibvirtError, Virsh

ADDRESS = "qemu:///system"
NAME = "plimsoll-test"
GUEST = Guest("id-web", "web-1", "vda", "vol-lv-1", "", ())


def reachable() -> bool:
    try:
        Virsh(ADDRESS).disks(10.0)
    except LibvirtError:
        return False
    return True


pytestmark = pytest.mark.skipif(not reachable(), reason=f"no libvirt answers at {ADDRESS}")


def virsh(*words: str) -> str:
    # The first VM of a libvirt waits until every emulator has said what it can: a minute where others work, too.
    return subprocess.run(
        ["virsh", "-q", "-c", ADDRESS, *words], capture_output=True, check=True, text=True, timeout=180
    ).stdout


@pytest.fixture(scope="module")
def domain(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("vm")
    # Where the VM's own user may reach it, as a test's folder may not be.
    image = tmp_path / "image"
    image.write_bytes(bytes(1 << 20))
    for folder in (image, tmp_path, tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o777 if folder is image else 0o755)
    (tmp_path / "domain.xml").write_text(
        f"<domain type='qemu'><name>{NAME}</name><memory unit='MiB'>64</memory><os><type>hvm</type></os><devices>"
        f"<emulator>{shutil.which('qemu-system-x86_64')}</emulator><disk type='file' device='disk'>"
        f"<driver name='qemu' type='raw'/><source file='{image}'/><target dev='vda' bus='virtio'/>"
        "<serial>vol-lv-1</serial><iotune><total_iops_sec>20</total_iops_sec></iotune></disk></devices></domain>"
    )
    virsh("create", str(tmp_path / "domain.xml"), "--paused")
    yield NAME
    virsh("destroy", NAME)


def read(count: int) -> None:
    blocks = virsh("qemu-monitor-command", NAME, "--hmp", "info block")
    device = next(line.split()[-1] for line in blocks.splitlines() if "Attached to:" in line)
    for number in range(count):
        virsh("qemu-monitor-command", NAME, "--hmp", f'qemu-io -d {device} "aio_read {number * 4096} 4k"')


def test_its_requests_are_counted_once(domain, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(bulk, "LATE_PART", 1)  # what becomes of looks is tested, not how busy this machine is
    (tmp_path / "spool").mkdir()
    watch = Bulk(Virsh(ADDRESS), 2, str(tmp_path / "spool"))
    watch.assigned = {(NAME, "vda"): GUEST}
    watch.start()
    end = time.monotonic() + 60
    while watch.looks < 2 and time.monotonic() < end:
        time.sleep(0.1)
    assert (NAME, "vda", "vol-lv-1", None) in watch.seen, watch.trouble
    read(8)
    looks = watch.looks
    while watch.looks < looks + 2 and time.monotonic() < end:
        time.sleep(0.1)
    watch.stop()
    watch.join(10)
    frames = [spool.as_json_form(spool.load(entry)) for entry in spool.entries(str(tmp_path / "spool"))]
    assert {(one["device"], one["vantage"], one["source"], one["step_s"]) for one in frames} == {
        ("id-web/vda", "host", "import", 2)
    }
    assert sum(sum(one["read_ios"]) for one in frames) == 8
    assert sum(sum(one["read_sectors"]) for one in frames) == 8 * 8


def test_its_monitors_are_held_and_check_says_what_to_do(domain, tmp_path, capsys) -> None:
    flags = [f"--state-dir={tmp_path}/state", "--qmp=/var/lib/libvirt/qemu/domain-*-plimsoll-test/monitor.sock"]
    assert main(["--check", *flags, f"--libvirt={ADDRESS}"]) == 0
    said = capsys.readouterr().out
    assert "another client holds it" in said and "libvirt=" in said
    assert f"libvirt at {ADDRESS} tells of" in said
    assert f"drive {NAME}/vda: no disk of the machines that the server places on this host has the serial" in said
