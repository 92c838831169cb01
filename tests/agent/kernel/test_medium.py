"""What is behind a disk's name."""

import pytest

from plimsoll_agent.kernel.medium import arrays, controller_of, model_of


def disk(tmp_path, **words):
    (tmp_path / "device").mkdir(parents=True)
    for name, text in words.items():
        (tmp_path / "device" / name).write_text(text + "\n")
    return str(tmp_path)


def test_a_disk_names_itself_and_virtio_does_not(tmp_path):
    assert model_of(disk(tmp_path / "a", vendor="SEAGATE ", model="ST4000NM0023    ")) == "SEAGATE ST4000NM0023"
    assert model_of(disk(tmp_path / "b", vendor="0x1af4")) is None
    assert model_of(str(tmp_path / "c")) is None


@pytest.mark.parametrize(
    ("vendor", "model", "make"),
    [
        ("DELL", "PERC H730 Mini", "Dell PERC"),
        ("HP", "LOGICAL VOLUME", "HPE Smart Array"),
        ("BROADCOM", "MR9560-16i", "Broadcom MegaRAID"),
        ("QEMU", "QEMU HARDDISK", None),
        ("ATA", "Samsung SSD 870", None),
    ],
)
def test_controllers_are_told_by_what_they_call_their_volumes(tmp_path, vendor, model, make):
    assert controller_of(disk(tmp_path, vendor=vendor, model=model)) == make


def test_an_array_tells_what_it_lacks_and_what_it_does(tmp_path):
    md = tmp_path / "block/md127/md"
    md.mkdir(parents=True)
    for member in ("sda", "sdb"):
        (tmp_path / "block/md127/slaves" / member).mkdir(parents=True)
    for name, text in {"level": "raid5", "degraded": "1", "sync_action": "recover"}.items():
        (md / name).write_text(text + "\n")
    (tmp_path / "block/sda").mkdir()
    [array] = arrays(str(tmp_path))
    assert (array.device, array.level, array.degraded, array.action) == ("md127", "raid5", 1, "recover")
    assert array.members == ["sda", "sdb"]
