"""Which acknowledged blocks are missing: none on an honest disk, and exactly the lost ones on one that lies."""

import io
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll_agent.probe.durability import BLOCK, AcksError, Lines, acknowledged, block, missing, runs_of, write


@pytest.fixture
def written(tmp_path):
    acks, path = io.BytesIO(), tmp_path / "log"
    assert write(str(path), Lines(acks), lambda number: number >= 20) == 20
    run, numbers = acknowledged(io.StringIO(acks.getvalue().decode()))
    assert numbers == list(range(20))
    return path, run, numbers


def test_an_honest_disk_has_them_all(written):
    path, run, numbers = written
    assert missing(str(path), run, numbers) == []


def test_a_disk_that_lost_the_end_is_named_block_by_block(written):
    path, run, numbers = written
    path.write_bytes(path.read_bytes()[: 17 * BLOCK + 100])
    assert missing(str(path), run, numbers) == [17, 18, 19]


def test_a_block_of_zeros_of_another_run_or_torn_is_missing(written):
    path, run, numbers = written
    raw = bytearray(path.read_bytes())
    raw[3 * BLOCK : 4 * BLOCK] = bytes(BLOCK)
    raw[5 * BLOCK : 6 * BLOCK] = block("another", 5)
    raw[8 * BLOCK + 2048 : 9 * BLOCK] = bytes(2048)
    path.write_bytes(raw)
    assert missing(str(path), run, numbers) == [3, 5, 8]


def test_a_file_that_is_gone_has_none(tmp_path):
    assert missing(str(tmp_path / "gone"), "run", [0, 1]) == [0, 1]


def test_a_run_never_writes_over_a_file(written):
    with pytest.raises(FileExistsError):
        write(str(written[0]), Lines(io.BytesIO()), lambda number: True)


@given(st.integers(0, 60))
def test_a_record_torn_anywhere_loses_its_last_line_at_most(cut):
    text = "plimsoll-acks 1 abc\n" + "".join(f"{number}\n" for number in range(20))
    torn = text[: len(text) - cut]
    if torn.count("\n"):
        run, numbers = acknowledged(io.StringIO(torn))
        assert run == "abc" and numbers == list(range(torn.count("\n") - 1))


@pytest.mark.parametrize("text", ["", "hello\n", "plimsoll-acks 1 abc\nfour\n"])
def test_what_is_no_record_is_refused(text):
    with pytest.raises(AcksError):
        acknowledged(io.StringIO(text))


def test_every_block_is_of_its_own():
    some = [block("run", random.randrange(1 << 40)) for _ in range(50)]
    assert len(set(some)) == 50 and {len(one) for one in some} == {BLOCK}


def test_numbers_in_a_row_are_one_run():
    assert runs_of([1, 2, 3, 7, 9, 10]) == [(1, 3), (7, 7), (9, 10)] and runs_of([]) == []


def test_where_nobody_takes_the_acknowledgements_nothing_is_left(tmp_path):
    class Deaf(Lines):
        def begin(self, run):
            raise OSError("nobody listens")

    with pytest.raises(OSError, match="nobody listens"):
        write(str(tmp_path / "log"), Deaf(io.BytesIO()), lambda number: False)
    assert list(tmp_path.iterdir()) == []
