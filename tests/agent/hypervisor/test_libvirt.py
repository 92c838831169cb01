"""libvirt's bulk statistics, in the form that `virsh domstats --block --raw` documents."""

import stat
import time

import pytest

from plimsoll_agent import spool
from plimsoll_agent.core.counters import FIELDS
from plimsoll_agent.hypervisor.bulk import Bulk
from plimsoll_agent.hypervisor.guests import Guest
from plimsoll_agent.hypervisor.libvirt import LibvirtError, Virsh, parse_identities, parse_stats

STATS = """Domain: 'web-1'
  block.count=3
  block.0.name=vda
  block.0.path=/dev/vg0/web-1
  block.0.backingIndex=1
  block.0.rd.reqs=1200
  block.0.rd.bytes=4915200
  block.0.rd.times=3400999999
  block.0.wr.reqs=34
  block.0.wr.bytes=139264
  block.0.wr.times=95000001
  block.0.fl.reqs=7
  block.0.fl.times=12000000
  block.0.allocation=0
  block.0.capacity=10737418240
  block.1.name=vdb
  block.1.rd.reqs=1
  block.1.rd.bytes=512
  block.1.rd.times=100
  block.1.wr.reqs=0
  block.1.wr.bytes=0
  block.1.wr.times=0
  block.2.name=sda

Domain: 'it's odd'
  state.state=1
"""
XML = """<domain type='kvm'><devices>
<disk type='block' device='disk'><target dev='vda' bus='virtio'/><serial>vol-1</serial></disk>
<disk type='block' device='disk'><target dev='vdb' bus='scsi'/><wwn>5000c50015ea71aa</wwn></disk>
<disk type='file' device='cdrom'><target dev='sda' bus='sata'/></disk></devices></domain>"""
GUEST = Guest("id-web", "web-1", "vda", "vol-1", "", ())


def test_names_are_the_kernels_and_an_empty_drive_is_none() -> None:
    told = parse_stats(STATS)
    assert set(told) == {"web-1", "it's odd"} and set(told["web-1"]) == {"vda", "vdb"}
    disk = told["web-1"]["vda"]
    named = dict(zip(FIELDS, disk.counters, strict=True))
    assert disk.path == "/dev/vg0/web-1"
    assert (named["read_ios"], named["read_sectors"], named["read_ms"]) == (1200, 9600, 3400)
    assert (named["write_ios"], named["write_sectors"], named["write_ms"]) == (34, 272, 95)
    assert (named["flush_ios"], named["flush_ms"], named["in_flight"], named["discard_ios"]) == (7, 12, None, None)
    assert told["web-1"]["vdb"].counters[FIELDS.index("flush_ios")] is None


def test_serials_are_those_of_the_domains_description() -> None:
    assert parse_identities(XML) == {"vda": ("vol-1", None), "vdb": (None, "naa.5000c50015ea71aa"), "sda": (None, None)}
    with pytest.raises(LibvirtError, match="no XML"):
        parse_identities("error: no domain")


class Told:
    """A virsh that says what the test wants."""

    address = "test:///default"

    def __init__(self) -> None:
        self.reads = 1200
        self.asked = 0
        self.away = False

    def disks(self, timeout_s: float) -> dict:
        if self.away:
            raise LibvirtError("away")
        return parse_stats(STATS.replace("rd.reqs=1200", f"rd.reqs={self.reads}"))

    def identities(self, vm: str, timeout_s: float) -> dict:
        self.asked += 1
        return parse_identities(XML if vm == "web-1" else "<domain/>")


def test_steps_become_frames_of_the_hosts_side_and_a_gap_ends_one(tmp_path) -> None:
    virsh = Told()
    bulk = Bulk(virsh, 5, str(tmp_path))  # type: ignore[arg-type]
    begin = 1_766_299_980 + 5

    def look(step: int) -> None:
        due = begin + 5 * step
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(time, "time_ns", lambda: due * 1_000_000_000)
            patched.setattr(time, "monotonic_ns", lambda: due * 1_000_000_000 - 10**9)
            bulk.look(due)

    look(0)
    assert [(one.vm, one.name, one.serial) for one in bulk.seen] == [("web-1", "vda", "vol-1"), ("web-1", "vdb", None)]
    bulk.assigned = {("web-1", "vda"): GUEST}
    for step in range(1, 4):
        virsh.reads += 10 * step
        look(step)
    virsh.away = True
    look(4)
    assert bulk.trouble == "away"
    virsh.away = False
    virsh.reads += 1000
    look(5)
    virsh.reads += 7
    look(6)
    virsh.reads = 3  # the VM was started anew
    look(7)
    frames = [spool.as_json_form(spool.load(entry)) for entry in spool.entries(str(tmp_path))]
    assert [(one["device"], one["vantage"], one["source"], one["read_ios"]) for one in frames] == [
        ("id-web/vda", "host", "import", [20, 30]),
        ("id-web/vda", "host", "import", [7]),
    ]
    assert virsh.asked == 2


def test_what_virsh_says_of_its_failure_is_passed_on(tmp_path, monkeypatch) -> None:
    script = tmp_path / "virsh"
    script.write_text("#!/bin/sh\necho 'error: failed to connect to the hypervisor' >&2\nexit 1\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LibvirtError, match="failed to connect to the hypervisor"):
        Virsh("qemu:///system").disks(5.0)
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(LibvirtError, match="not installed"):
        Virsh("qemu:///system")
