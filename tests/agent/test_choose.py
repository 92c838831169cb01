"""Whole disks, each once, and a reason for everything else."""

from pathlib import Path

from plimsoll_agent.choose import choose
from plimsoll_agent.kernel.blockdev import block_devices

SYS = Path(__file__).parents[1] / "fixtures" / "sys"


def chosen(tree, *named):
    sys = f"{SYS}/{tree}"
    choice = choose(block_devices(sys, (6, 1)), named, sys)
    return [disk.device for disk in choice.picked], choice.skipped


def test_a_guest_is_billed_for_its_virtio_disk_alone():
    picked, skipped = chosen("guest")
    assert picked == ["vda"]
    assert set(skipped) == {"loop0", "loop1", "zram0"}


def test_a_server_is_billed_for_its_media_once_each():
    picked, skipped = chosen("server")
    assert picked == ["cciss/c0d0", "dm-1", "mmcblk0", "nvme0n1", "pmem0", "sda", "sdb"]
    assert "multipath" in skipped["nvme0c0n1"]
    assert "dm-1" in skipped["sdc"] and "dm-1" in skipped["sdd"]
    assert "sda2" in skipped["md127"] and "md127" in skipped["dm-0"]
    assert "size is 0" in skipped["sde"]
    assert {"sr0", "fd0", "mmcblk0boot0"} <= set(skipped)


def test_a_named_volume_takes_the_place_of_all_below_it():
    picked, skipped = chosen("server", "dm-0", "sda", "nvme0n1")
    assert picked == ["dm-0", "nvme0n1"]
    assert "dm-0" in skipped["sda"]


def test_what_is_skipped_by_its_kind_is_taken_when_named():
    assert chosen("guest", "/dev/loop1")[0] == ["loop1"]
    assert chosen("server", "cciss!c0d0")[0] == ["cciss/c0d0"]


def test_a_named_disk_that_is_not_there_is_said():
    picked, skipped = chosen("guest", "vdz")
    assert picked == []
    assert "no such" in skipped["vdz"]
