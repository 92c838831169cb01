"""Is a stored frame the same frame again, in few bytes, and is nonsense refused with its value?"""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plimsoll_agent.core import layout
from plimsoll_agent.core import layout_names as names
from plimsoll_agent.core.layout import LayoutError, decode, encode

ROOT = Path(__file__).resolve().parents[3]
whole = st.integers(0, 2**53 - 1)
ratio = st.one_of(st.integers(0, 10**6).map(lambda n: n / 10**6), st.floats(0, 1, allow_nan=False))


@st.composite
def frames(draw: st.DrawFn) -> tuple[dict[str, Any], int]:
    n = draw(st.integers(1, 60))
    cell = st.one_of(st.none(), st.integers(0, 3), st.integers(0, 10**5), whole)
    column = st.lists(cell, min_size=n, max_size=n)
    frame: dict[str, Any] = draw(st.dictionaries(st.sampled_from(sorted(names.FRAME_COLUMNS)), column, min_size=1))
    if draw(st.booleans()):
        frame["base"] = draw(st.dictionaries(st.sampled_from(names.BASE_FIELDS), st.one_of(st.none(), whole)))
    if draw(st.booleans()):
        frame["in_flight_rule"] = draw(st.sampled_from(["accounted", "driver"]))
    if draw(st.booleans()):
        scalars = {"threshold_ms": st.sampled_from([15, 0.4, None, 12.5]), "pool_start": st.integers(0, 500)}
        term = st.fixed_dictionaries({"term": whole}, optional={**scalars, **dict.fromkeys(names.TERM_COLUMNS, column)})
        frame["slow"] = draw(st.lists(term, max_size=3))
    if draw(st.booleans()):
        counts = st.dictionaries(st.integers(-1, 280), st.integers(1, 10**6), max_size=20)
        frame["read_hist"] = [list(pair) for pair in sorted(draw(counts).items())]
    if draw(st.booleans()):
        machine = st.one_of(st.none(), ratio, whole)
        frame["machine"] = draw(st.dictionaries(st.sampled_from(names.MACHINE_FIELDS), machine))
    return frame, n


@settings(max_examples=120, deadline=None)
@given(frames())
def test_every_frame_comes_back_as_it_was(case: tuple[dict[str, Any], int]) -> None:
    frame, n = case
    assert decode(encode(frame), n) == frame


@settings(max_examples=50, deadline=None)
@given(frames(), st.randoms())
def test_the_order_of_keys_changes_no_byte(case: tuple[dict[str, Any], int], rng: Any) -> None:
    frame, _ = case
    keys = list(frame)
    rng.shuffle(keys)
    assert layout.pack(frame) == layout.pack({key: frame[key] for key in keys})


@settings(max_examples=120, deadline=None)
@given(frames(), st.integers(0, 10**6), st.integers(0, 255))
def test_a_broken_byte_is_refused_or_gives_another_frame_but_never_crashes(
    case: tuple[dict[str, Any], int], place: int, value: int
) -> None:
    frame, n = case
    data = bytearray(layout.pack(frame))
    data[place % len(data)] = value
    try:
        other = decode(zlib.compress(bytes(data)), n)
    except LayoutError:
        return
    assert layout.pack(other) == bytes(data)


def minute() -> dict[str, Any]:
    """A quiet minute of an ordinary disk."""
    n = 60
    frame: dict[str, Any] = {name: [0] * n for name in names.FRAME_COLUMNS}
    frame.update(
        read_ios=[190 + (i * 37) % 23 for i in range(n)],
        write_ios=[40 + (i * 13) % 9 for i in range(n)],
        read_sectors=[1520 + (i * 37) % 23 * 8 for i in range(n)],
        write_sectors=[960 + (i * 29) % 31 * 8 for i in range(n)],
        read_ms=[130 + (i * 7) % 41 for i in range(n)],
        write_ms=[55 + (i * 11) % 17 for i in range(n)],
        busy_ms=[170 + (i * 5) % 29 for i in range(n)],
        fine_ms=[10] * n,
        base={name: 10**9 + place for place, name in enumerate(names.BASE_FIELDS)},
        in_flight_rule="accounted",
        slow=[{"term": 7, "threshold_ms": 15, "pool_start": 0, **{name: [0] * n for name in names.TERM_COLUMNS}}],
        read_hist=[[60, 11_000], [61, 300], [90, 4]],
        machine={"steal_ratio": 0.0012, "iowait_ratio": 0.01, "dirty_bytes": 12_345_678, "d_state_tasks": 0},
    )
    frame["slow"][0]["covered_est"] = [a + b for a, b in zip(frame["read_ios"], frame["write_ios"], strict=True)]
    return frame


def test_a_minute_is_stored_in_well_under_a_kilobyte() -> None:
    frame = minute()
    assert len(encode(frame)) < 700
    assert len(json.dumps(frame)) > 3_000


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"read_ios": [-1] * 60}, "-1"),
        ({"read_ios": [2**53] * 60}, "9007199254740992"),
        ({"read_ios": [1.5] * 60}, "float"),
        ({"read_ios": [True] * 60}, "True"),
        ({"read_ios": [1] * 59}, "59"),
        ({"reed_ios": [1] * 60}, "reed_ios"),
        ({"in_flight_rule": "guess"}, "guess"),
        ({"read_hist": [[281, 1]]}, "281"),
        ({"machine": {"steal_ratio": -0.5}}, "-0.5"),
        ({"machine": {"load": 1}}, "load"),
        ({"slow": [{"term": 7, "read_low": [0] * 60}]}, "read_low"),
    ],
)
def test_what_is_no_frame_is_refused_with_the_offending_value(change: dict[str, Any], what: str) -> None:
    with pytest.raises(LayoutError, match=what):
        encode({**minute(), **change})


def test_a_bomb_a_cut_stream_and_a_tail_are_refused() -> None:
    body = encode(minute())
    with pytest.raises(LayoutError, match="over"):
        decode(zlib.compress(bytes(10_000_000)), 60)
    with pytest.raises(LayoutError, match="cut off"):
        decode(body[:-9], 60)
    with pytest.raises(LayoutError, match="follow"):
        decode(body + b"x", 60)
    with pytest.raises(LayoutError, match="inflate"):
        decode(b"no deflate at all", 60)
    with pytest.raises(LayoutError, match="59"):
        decode(body, 59)


def test_column_numbers_are_written_out_unique_and_as_documented() -> None:
    document = (ROOT / "docs" / "frame-layout.md").read_text()
    for table in (names.FRAME_COLUMNS, names.TERM_COLUMNS):
        assert len(set(table.values())) == len(table)
        assert max(table.values()) < names.TERM_BASE
        for name, number in table.items():
            assert f"{number} {name}" in document
    assert names.FRAME_COLUMNS["read_ios"] == 1
    assert names.FRAME_COLUMNS["fine_ms"] == 19
    assert names.TERM_COLUMNS["lost_ms"] == 10
