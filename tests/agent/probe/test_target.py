"""What is tested and what is left alone: files, devices with and without data."""

import os
import subprocess
from pathlib import Path

import pytest

from plimsoll_agent.probe.target import MIB, Refused, in_use, opened


def test_a_new_file_is_made_filled_and_removed(tmp_path):
    path = tmp_path / "probe"
    with opened(str(path), MIB, writes=True) as target:
        assert target.made and path.stat().st_size == MIB and any(path.read_bytes()[:4096])
    assert not path.exists()


def test_a_file_that_is_there_is_read_and_never_written_over(tmp_path):
    path = tmp_path / "precious"
    path.write_bytes(b"x" * MIB)
    with pytest.raises(Refused, match="written over"), opened(str(path), MIB, writes=True):
        pass
    with opened(str(path), MIB, writes=False) as target:
        assert not target.made
    assert path.read_bytes() == b"x" * MIB


def test_a_full_disk_is_not_filled(tmp_path):
    with pytest.raises(Refused, match="twice its size"), opened(str(tmp_path / "probe"), 1 << 60, writes=False):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["/dev/null", "/nowhere/at/all"])
def test_what_is_no_disk_is_refused(path):
    with pytest.raises(Refused), opened(path, MIB, writes=True):
        pass


def test_partitions_holders_mounts_and_swap_are_seen(tmp_path):
    (tmp_path / "sys/block/sda").mkdir(parents=True)
    (tmp_path / "sys/dev/block").mkdir(parents=True)
    (tmp_path / "sys/dev/block/8:0").symlink_to("../../block/sda")
    disk, proc = tmp_path / "sys/block/sda", tmp_path / "proc"
    (proc / "self").mkdir(parents=True)
    device, places = os.makedev(8, 0), (str(proc), str(tmp_path / "sys"))
    assert in_use(device, *places) is None
    (proc / "swaps").write_text("Filename Type Size Used Priority\n/dev/sda partition 1 0 -2\n")
    assert in_use(device, *places) == "is swap"
    (proc / "self/mountinfo").write_text("36 35 8:0 / /srv rw,noatime - ext4 /dev/sda rw\n")
    assert in_use(device, *places) == "is mounted at /srv"
    (disk / "holders/dm-0").mkdir(parents=True)
    assert in_use(device, *places) == "is part of dm-0"
    (disk / "sda1").mkdir()
    (disk / "sda1/partition").write_text("1\n")
    assert in_use(device, *places) == "has partitions (sda1)"


@pytest.mark.skipif(os.geteuid() != 0, reason="a loop device needs root")
def test_a_device_is_written_to_only_while_it_holds_nothing(tmp_path):
    image = tmp_path / "image"
    image.write_bytes(bytes(8 * MIB))
    made = subprocess.run(["losetup", "--find", "--show", image], capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"no loop device: {made.stderr.strip()}")
    device = made.stdout.strip()
    try:
        with opened(device, 4 * MIB, writes=True) as target:
            assert target.size == 4 * MIB and not target.made
        with Path(device).open("r+b") as file:
            file.seek(8 * MIB - 512)
            file.write(b"EFI PART")
            file.flush()
            os.fsync(file.fileno())
        with pytest.raises(Refused, match="holds data"), opened(device, 4 * MIB, writes=True):
            pass
        with opened(device, 4 * MIB, writes=False):
            pass
        assert Path(device).is_block_device()
    finally:
        subprocess.run(["losetup", "--detach", device], check=False)
