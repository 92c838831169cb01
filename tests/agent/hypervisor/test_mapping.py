"""The operator's file: what it says, and which line is wrong."""

import contextlib
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll_agent.hypervisor.assign import Seen, assign
from plimsoll_agent.hypervisor.guests import Guest, Unmapped, by_identity, by_name
from plimsoll_agent.hypervisor.map_file import MapFile
from plimsoll_agent.hypervisor.mapping import Line, MappingError, read

WEB = Guest("id-web", "web-1", "vda", "vol-1", "", ())
LOG = Guest("id-web", "web-1", "vdb", "", "", ())
DB = Guest("id-db", "db-1", "vda", "vol-2", "naa.5000", ())
LONG = Guest("id-long", "long-1", "vda", "0f8fad5b-d9cb-469f-a", "", ())
ALL = [WEB, LOG, DB, LONG]


def test_lines_comments_and_heading() -> None:
    text = (
        "source,machine,disk\n# rack 4\n/dev/vg0/web , web-1, vda\n\nvm:db-1/disk0,id-db,vol-2 # serial\nrbd3,x,sda\n"
    )
    assert read(text, "map") == [
        Line(3, "/dev/vg0/web", "web-1", "vda"),
        Line(5, "vm:db-1/disk0", "id-db", "vol-2"),
        Line(6, "rbd3", "x", "sda"),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("dm-3,web-1\n", "map:1: 2 cells, not 3 (source, machine, disk): 'dm-3,web-1'"),
        ("dm-3,web-1,vda\n\ndm-3,db-1,vda\n", "map:3: dm-3 is mapped by line 1 already: 'dm-3,db-1,vda'"),
        ("dm-3,web-1,vda\ndm-4,web-1,vda\n", "map:2: line 1 leads to vda of web-1 already: 'dm-4,web-1,vda'"),
        ("dm-3,,vda\n", "map:1: the machine is empty"),
        ("vm:disk0,web-1,vda\n", "a VM's drive is written vm:NAME/DRIVE"),
        ("/mnt/image.raw,web-1,vda\n", "a block device is a path under /dev"),
        ("x" * 300 + ",web-1,vda\n", "longer than 200 characters"),
        ("a,b,c\n" * 5000, "at most 4000 lines"),
    ],
)
def test_the_offending_line_is_named(text: str, said: str) -> None:
    with pytest.raises(MappingError) as caught:
        read(text, "map")
    assert said in str(caught.value)


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    with contextlib.suppress(MappingError):
        assert all(line.source and line.machine and line.disk for line in read(text, "map"))


def test_a_changed_file_is_read_again_and_a_broken_one_changes_nothing(tmp_path) -> None:
    path = tmp_path / "map"
    file = MapFile(str(path))
    assert not file.renewed() and "cannot read" in file.error
    path.write_text("dm-3,web-1,vda\n")
    assert file.renewed() and not file.error and not file.renewed()
    path.write_text("dm-3,web-1\n")
    os.utime(path, (5, 5))
    assert not file.renewed() and "map:1: 2 cells" in file.error and len(file.lines) == 1


def test_a_disk_is_found_by_device_serial_or_wwn_in_a_machine_by_id_or_name() -> None:
    for machine, disk, guest in (("web-1", "vdb", LOG), ("id-web", "/dev/vda", WEB), ("db-1", "vol-2", DB)):
        assert by_name(ALL, machine, disk) is guest
    assert by_name(ALL, "db-1", "naa.5000") is DB
    with pytest.raises(Unmapped, match="no machine 'web-9'"):
        by_name(ALL, "web-9", "vda")
    with pytest.raises(Unmapped, match="no disk 'vdz'; it has vda, vdb"):
        by_name(ALL, "web-1", "vdz")
    with pytest.raises(Unmapped, match="several machines are called 'web-1'"):
        by_name([WEB, DB._replace(hostname="web-1")], "web-1", "vda")


def test_an_identity_must_be_one_disks_alone() -> None:
    assert by_identity(ALL, "other", "naa.5000") is DB
    assert by_identity(ALL, "0f8fad5b-d9cb-469f-a165-70867728950e", None) is LONG  # virtio shows its guest 20 letters
    for guests, serial, said in (
        (ALL, None, "no serial"),
        (ALL, "vol-9", "'vol-9'"),
        ([WEB, WEB], "vol-1", "all have"),
    ):
        with pytest.raises(Unmapped, match=said):
            by_identity(guests, serial, None)


def drive(vm: str, name: str, serial: str | None) -> Seen:
    return Seen(vm, name, serial, None)


def test_lines_go_before_serials_and_whoever_is_left_out_is_named() -> None:
    seen = [
        drive("web", "d0", "vol-1"),
        drive("web", "d1", None),
        drive("db", "d0", "vol-2"),
        drive("x", "d0", "vol-9"),
    ]
    found, words = assign(seen, [Line(4, "vm:web/d1", "web-1", "vdb"), Line(5, "vm:x/d0", "x", "vda")], ALL)
    assert found == {("web", "d0"): WEB, ("web", "d1"): LOG, ("db", "d0"): DB}
    assert words == ["drive x/d0: the server places no machine 'x' on this host (disk_map line 5)"]


def test_two_drives_are_never_one_disk() -> None:
    found, (word,) = assign([drive("a", "d0", "vol-1"), drive("b", "d0", "vol-1")], [], ALL)
    assert not found
    assert word == "a/d0 and b/d0 would both be web-1/vda: use disk_map"


def test_a_vm_whose_serials_lead_to_two_machines_is_believed_in_neither() -> None:
    seen = [drive("web", "d0", "vol-1"), drive("web", "d1", "vol-2")]
    found, (word,) = assign(seen, [], ALL)
    assert not found
    assert word == "VM web: by their serials its drives are disks of db-1, web-1: use disk_map"
    found, words = assign(seen, [Line(1, "vm:web/d1", "db-1", "vda")], ALL)
    assert len(found) == 2 and not words
