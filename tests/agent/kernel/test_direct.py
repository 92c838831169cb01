"""One block past the page cache: where it lies, and what is not opened."""

import errno
import os

import pytest

from plimsoll_agent.kernel.direct import BLOCK, open_disk, position, read_block


@pytest.mark.parametrize("size", [BLOCK, BLOCK + 512, 10 * BLOCK - 1, 3 << 40])
def test_every_position_is_a_whole_block_within_the_device(size):
    for seed in range(2_000):
        at = position(seed, size)
        assert at % BLOCK == 0 and 0 <= at <= size - BLOCK


def test_positions_change_and_cover_a_device_and_are_the_same_for_the_same_seed():
    places = [position(seed, 100 * BLOCK) for seed in range(2_000)]
    assert len(set(places)) == 100
    assert places == [position(seed, 100 * BLOCK) for seed in range(2_000)]
    assert max(places.count(place) for place in set(places)) < 60  # 20 expected of each


@pytest.fixture
def fake(tmp_path):
    """A file in a device's place, opened as a device would be."""
    path = tmp_path / "fake"
    path.write_bytes(bytes(8 * BLOCK))
    try:
        fd = os.open(path, os.O_RDONLY | os.O_DIRECT)
    except OSError as error:
        pytest.skip(f"this file system has no direct reading: {error.strerror}")
    yield fd, path
    os.close(fd)


def test_one_block_is_read_at_the_position_of_the_seed(fake, monkeypatch):
    fd, _ = fake
    asked = []
    real = os.preadv
    monkeypatch.setattr(os, "preadv", lambda *given: asked.append((len(given[1][0]), given[2])) or real(*given))
    assert read_block(fd, 7) == position(7, 8 * BLOCK)
    assert asked == [(BLOCK, position(7, 8 * BLOCK))]


def test_what_holds_no_block_is_not_read(fake):
    fd, path = fake
    os.truncate(path, BLOCK - 1)
    with pytest.raises(OSError, match="less than a block") as refused:
        read_block(fd, 1)
    assert refused.value.errno == errno.EINVAL


def test_a_file_in_a_devices_place_is_not_taken_for_it(fake):
    with pytest.raises(OSError, match="fake") as refused:
        open_disk(str(fake[1]), "254:0")
    assert refused.value.errno == errno.ENOTBLK


def test_a_name_that_leads_to_nothing_is_an_error_of_its_own(tmp_path):
    with pytest.raises(OSError, match="vdz") as refused:
        open_disk(str(tmp_path / "vdz"), "254:0")
    assert refused.value.errno == errno.ENOENT
