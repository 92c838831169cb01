"""MessagePack as the specification has it: held against another implementation."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll_agent import msgpack

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=300)
    | st.binary(max_size=300),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=40), inner, max_size=20),
    max_leaves=30,
)


@given(VALUES)
def test_another_reader_reads_what_is_written_and_so_does_this_one(value):
    packed = msgpack.pack(value)
    assert msgspec.msgpack.decode(packed) == value
    assert msgpack.unpack(packed) == value


@given(VALUES)
def test_what_another_writer_writes_is_read(value):
    assert msgpack.unpack(msgspec.msgpack.encode(value)) == value


@pytest.mark.parametrize("size", [0, 15, 16, 65_535, 65_536])
def test_lists_can_be_joined_from_packed_values(size):
    joined = msgpack.array_head(size) + msgpack.pack("x") * size
    assert msgspec.msgpack.decode(joined) == ["x"] * size


@given(VALUES, st.data())
def test_cut_off_bytes_are_refused(value, data):
    packed = msgpack.pack([value, 1])
    cut = data.draw(st.integers(0, len(packed) - 1))
    with pytest.raises(msgpack.MsgpackError):
        msgpack.unpack(packed[:cut])


def test_bytes_that_follow_are_refused():
    with pytest.raises(msgpack.MsgpackError):
        msgpack.unpack(b"\x01\x02")


def test_endless_nesting_is_refused():
    with pytest.raises(msgpack.MsgpackError):
        msgpack.unpack(b"\x91" * 100_000)
