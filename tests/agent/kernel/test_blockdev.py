"""Identity and nature of block devices from trees of sysfs."""

from pathlib import Path

import pytest

from plimsoll_agent.kernel.blockdev import BlockDevice, block_devices, whole_disk_of

SYS = Path(__file__).parents[2] / "fixtures" / "sys"


def device(tree, name, kernel=(6, 1)):
    return BlockDevice(name, f"{SYS}/{tree}/block/{name}", kernel)


def test_a_virtio_disk_has_its_serial_beside_it():
    vda = device("guest", "vda")
    assert (vda.serial, vda.wwn, vda.size_bytes) == ("overlayblk", None, 256 << 30)
    assert (vda.rotational, vda.scheduler, vda.write_cache) == (True, "mq-deadline", "write back")
    assert vda.number == "254:0" and vda.diskseq == 9
    assert not vda.bio_based


def test_a_sas_disk_has_a_wwn_and_its_serial_in_a_page_of_its_own():
    sda = device("server", "sda")
    assert (sda.wwn, sda.serial) == ("naa.5000c500a1b2c3d4", "ZA1B2C3D")


def test_a_vendor_string_is_a_serial_and_no_wwn():
    sdb = device("server", "sdb")
    assert (sdb.wwn, sdb.serial) == (None, "t10.ATA INTEL SSDSC2KB48 BTYF1234")


def test_an_nvme_namespace_has_its_eui_and_its_controllers_serial():
    nvme = device("server", "nvme0n1")
    assert (nvme.wwn, nvme.serial) == ("eui.0025385b71b00aaa", "S4EVNF0M123456")


def test_the_exclamation_mark_of_sysfs_is_the_slash_of_diskstats():
    assert device("server", "cciss!c0d0").device == "cciss/c0d0"


@pytest.mark.parametrize(
    ("name", "bio_based"), [("sda", False), ("md127", True), ("dm-0", True), ("pmem0", True), ("dm-1", False)]
)
def test_devices_without_requests_of_their_own_are_known(name, bio_based):
    assert device("server", name).bio_based is bio_based


def test_on_an_old_kernel_a_missing_mq_folder_says_nothing():
    assert not device("server", "nvme0n1", kernel=(4, 9)).bio_based
    assert device("server", "md127", kernel=(4, 9)).bio_based


def test_partitions_belong_to_their_disk():
    assert whole_disk_of(f"{SYS}/server", "sda2") == "sda"
    assert whole_disk_of(f"{SYS}/server", "nvme0n1p1") == "nvme0n1"
    assert whole_disk_of(f"{SYS}/server", "sdb") == "sdb"


def test_this_machine_can_be_read():
    # Whatever it is: nothing may raise, and every device has a number.
    for found in block_devices("/sys", (6, 18)):
        assert found.number is not None
