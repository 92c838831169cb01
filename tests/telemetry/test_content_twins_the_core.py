"""The server's batch reader and writer of the stored layout do exactly what the reference in the agent's core does."""

import json
import zlib
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plimsoll_agent.core import layout, layout_names
from plimsoll_agent.core.varint import put
from sla.telemetry.check import NULL
from sla.telemetry.columns import inflate, named, open_bodies, stack
from sla.telemetry.content import json_bodies, quick_bodies
from sla.telemetry.packed import packed_bodies
from sla.telemetry.quick import read_quickly
from sla.telemetry.wire import JsonFrame, Key, PackedFrame
from tests.telemetry.machines import minute

BESIDE = set(Key.__struct_fields__)
START = 1_766_300_400


def stored_form(frame: dict[str, Any]) -> dict[str, Any]:
    """What the core's layout is given: without the keys that stand beside the body."""
    return {name: value for name, value in frame.items() if name not in BESIDE and value is not None}


def as_json(frame: dict[str, Any]) -> JsonFrame:
    return msgspec.convert(frame, JsonFrame)


def as_packed(frame: dict[str, Any]) -> PackedFrame:
    beside = {name: frame[name] for name in BESIDE & frame.keys()}
    return PackedFrame(**beside, body=layout.encode(stored_form(frame)))


values = st.one_of(st.integers(0, 300), st.integers(0, 2**31 - 1), st.integers(0, 2**53 - 1), st.none())


@st.composite
def frames(draw: st.DrawFn) -> dict[str, Any]:
    n = draw(st.integers(1, 6))
    column = st.lists(values, min_size=n, max_size=n)
    frame = minute(START, term=draw(st.sampled_from([None, 7])), n=n)
    for name in draw(st.sets(st.sampled_from(["read_ms", "flush_ios", "in_flight_ms", "read_sectors"]))):
        frame[name] = draw(column)
    frame["base"] = draw(
        st.dictionaries(st.sampled_from(["read_ios", "write_ms", "flush_ms"]), st.integers(0, 2**53 - 1))
    )
    frame["machine"] = draw(
        st.none() | st.fixed_dictionaries({"steal_ratio": st.floats(0, 1), "dirty_bytes": st.integers(0, 2**40)})
    )
    frame["in_flight_rule"] = draw(st.sampled_from([None, "accounted", "driver"]))
    frame["read_hist"] = draw(
        st.none()
        | st.dictionaries(st.integers(-1, 280), st.integers(0, 10**9)).map(lambda d: [[*p] for p in d.items()])
    )
    return frame


@settings(max_examples=200, deadline=None)
@given(st.lists(frames(), min_size=1, max_size=5))
def test_json_frames_become_the_same_bytes_as_the_reference_writes(several: list[dict[str, Any]]) -> None:
    bodies, refused = json_bodies({index: as_json(frame) for index, frame in enumerate(several)})
    assert not refused
    for index, frame in enumerate(several):
        assert inflate(bodies[index]) == layout.pack(stored_form(frame))
    quick = read_quickly(json.dumps({"frames": several}).encode())
    assert quick is not None
    assert quick_bodies(quick.columns, dict(enumerate(quick.frames))) == (bodies, {})


GOOD = minute(START, term=7, n=2)


@pytest.mark.parametrize(
    "array",
    [
        "[1, 2.0]",
        "[1, 1e2]",
        "[1, true]",
        '[1, "2"]',
        '[1, "2,[null]"]',
        "[1, [2]]",
        "[1, {}]",
        "[1, -2]",
        "[1]",
        "[1, 2, 3]",
        "[]",
        "[1, -9223372036854775808]",
        "[1, 9223372036854775807]",
        "[1, 18446744073709551616]",
        f"[1, {2**53}]",
        "null",
        "7",
        f"[{'1,' * 257}1]",
    ],
)
def test_anything_odd_in_an_array_is_left_to_the_reader_that_says_what_is_wrong(array: str) -> None:
    for holder in (GOOD, GOOD["slow"][0]):
        for name in [name for name, value in holder.items() if isinstance(value, list) and name not in ("slow",)]:
            if name.endswith("_hist"):
                continue
            marked = holder | {name: "MARK"}
            frame = marked if holder is GOOD else GOOD | {"slow": [marked]}
            body = json.dumps({"frames": [GOOD, frame, GOOD]}).replace('"MARK"', array).encode()
            assert read_quickly(body) is None, name


def test_lengths_that_even_out_over_frames_are_seen() -> None:
    one, three, nested = (dict(minute(START, n=n)) for n in (1, 3, 3))
    one["read_ios"], nested["read_ios"] = 5, [1, [2, 3]]
    short, long = dict(GOOD, read_ios=[1]), dict(GOOD, read_ios=[1, 2, 3])
    for frames in ([one, nested, three], [short, long], [dict(GOOD, n=0)], [dict(GOOD, n=258)]):
        assert read_quickly(json.dumps({"frames": frames}).encode()) is None


def test_frames_of_several_forms_are_read_at_once() -> None:
    several = [minute(START, n=3), GOOD, minute(START, n=3, term=8), minute(START, read_ms=[2**40] * 60)]
    quick = read_quickly(json.dumps({"frames": several}).encode())
    assert quick is not None
    bodies, refused = quick_bodies(quick.columns, dict(enumerate(quick.frames)))
    assert (bodies, refused) == json_bodies({index: as_json(frame) for index, frame in enumerate(several)})
    assert len(bodies) == 4


@settings(max_examples=200, deadline=None)
@given(st.lists(frames(), min_size=1, max_size=5))
def test_the_batch_reader_sees_what_the_reference_reader_sees(several: list[dict[str, Any]]) -> None:
    bodies = [layout.encode(stored_form(frame)) for frame in several]
    for body, frame, opened in zip(bodies, several, open_bodies(bodies), strict=True):
        assert not isinstance(opened, layout.LayoutError)
        decoded = layout.decode(body, frame["n"])
        assert opened.meta.base == decoded.get("base", {})
        assert opened.meta.rule == decoded.get("in_flight_rule")
        histogram = opened.meta.read_hist
        assert list(map(list, zip(histogram[::2], histogram[1::2], strict=True))) == (decoded.get("read_hist") or [])
        form, figures = named(*opened.form), stack([opened])
        for place, (name, term) in enumerate(form.columns):
            holder = decoded if term is None else next(s for s in decoded["slow"] if s["term"] == term)
            expected = [NULL if value is None else value for value in holder[name]]
            assert figures[0, place].tolist() == expected, name


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=400), st.integers(0, 400), st.integers(0, 255))
def test_a_flipped_or_random_body_is_refused_or_read_but_never_breaks_the_batch(
    noise: bytes, at: int, byte: int
) -> None:
    good = layout.encode(stored_form(minute(START, term=7)))
    plain = bytearray(inflate(good))
    plain[at % len(plain)] = byte
    flipped = zlib.compress(bytes(plain))
    sent = {
        index: PackedFrame(device="vda", vantage="guest", start=START, step_s=1, n=60, body=body)
        for index, body in enumerate((good, flipped, noise))
    }
    bodies, refused = packed_bodies(sent)
    assert bodies[0] == good and 2 in refused
    assert (1 in bodies) != (1 in refused)


small = st.integers(0, 70_000)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(*[small] * 6), min_size=1, max_size=4))
def test_a_packed_frame_out_of_order_is_refused_as_in_json(figures: list[tuple[int, ...]]) -> None:
    sent = []
    for reads, writes, low, estimate, high, covered in figures:
        frame = minute(START, term=7)
        frame |= {"read_ios": [reads] * 60, "write_ios": [writes] * 60}
        counts = {"read_lo": low, "read_est": estimate, "read_hi": high, "covered_est": covered}
        counts |= {"write_lo": 0, "write_est": 0, "write_hi": 0}
        frame["slow"][0] |= {name: [value] * 60 for name, value in counts.items()}
        sent.append(frame)
    _, refused = packed_bodies({index: as_packed(frame) for index, frame in enumerate(sent)})
    _, told = json_bodies({index: as_json(frame) for index, frame in enumerate(sent)})
    assert {i: (r.code, r.message) for i, r in refused.items()} == {i: (r.code, r.message) for i, r in told.items()}


@pytest.mark.parametrize("beside", [0, 1, 7])
@pytest.mark.parametrize("name", ["read_ios", "read_sectors", "in_flight"])
def test_a_negative_figure_in_a_packed_frame_is_refused_whatever_column_it_is_in(name: str, beside: int) -> None:
    sent = {index: as_packed(minute(START, term=7)) for index in range(1 + beside)}
    plain = bytearray(inflate(sent[0].body))
    (opened,) = open_bodies([sent[0].body])
    assert not isinstance(opened, layout.LayoutError)
    column = opened.narrow.index(layout_names.FRAME_COLUMNS[name])
    plain[opened.at + 3 * 60 * len(opened.narrow) + 60 * column + 17] = 0xFF
    sent[0].body = zlib.compress(bytes(plain))
    bodies, refused = packed_bodies(sent)
    assert list(refused) == [0] and len(bodies) == beside
    assert f"{name}[17]" in refused[0].message and "is negative" in refused[0].message


@pytest.mark.parametrize("beside", [0, 1, 7])
@pytest.mark.parametrize("name", ["read_sectors", "write_ios"])
def test_what_is_unknown_in_a_packed_frame_is_taken(name: str, beside: int) -> None:
    unknown = minute(START, term=7)
    unknown[name] = [None, *unknown[name][1:]]
    sent = {0: as_packed(unknown)} | {1 + index: as_packed(minute(START, term=7)) for index in range(beside)}
    bodies, refused = packed_bodies(sent)
    assert not refused and len(bodies) == 1 + beside


def test_a_bucket_that_no_histogram_has_is_refused_among_many_bodies() -> None:
    sent = {index: as_packed(minute(START, term=7) | {"read_hist": [[5, 1], [280, 2]]}) for index in range(8)}
    last, beyond = bytearray(), bytearray()
    put(last, 275)
    put(beyond, 276)
    whole = inflate(sent[3].body)
    assert whole.count(last + b"\x02") == 1
    sent[3].body = zlib.compress(whole.replace(last + b"\x02", beyond + b"\x02"))
    bodies, refused = packed_bodies(sent)
    assert list(refused) == [3] and "276" in refused[3].message and len(bodies) == 7


def test_a_packed_body_whose_term_lacks_a_count_is_refused_alone() -> None:
    whole = minute(START, term=7)
    (opened,) = open_bodies([layout.encode(stored_form(whole))])
    assert not isinstance(opened, layout.LayoutError)
    number = layout_names.TERM_BASE + layout_names.TERM_COLUMNS["read_hi"]
    kept = [place for place, one in enumerate(opened.narrow) if one != number]
    planes = np.frombuffer(opened.data, np.uint8, offset=opened.at).reshape(4, -1, 60)[:, kept]
    head = opened.data[: opened.at - len(opened.narrow) - 2]
    body = head + bytes([len(kept), *(opened.narrow[place] for place in kept), 0]) + planes.tobytes()
    frames = {
        index: PackedFrame(device="vda", vantage="guest", start=START, step_s=1, n=60, body=one)
        for index, one in enumerate((zlib.compress(body), layout.encode(stored_form(whole))))
    }
    bodies, refused = packed_bodies(frames)
    assert list(bodies) == [1] and refused[0].code == "bad_shape"
    assert "read_hi of term 7" in refused[0].message


@pytest.mark.parametrize(
    ("change", "code", "value"),
    [
        ({"read_ios": [-17] + [0] * 59}, "bad_value", "-17"),
        ({"read_ios": [1] * 59}, "bad_shape", "59"),
        ({"read_sectors": [2**60] * 60}, "bad_value", str(2**60)),
        ({"read_sectors": [2**70] * 60}, "bad_value", str(2**70)),
        ({"read_sectors": [-(2**63)] * 60}, "bad_value", str(-(2**63))),
        ({"in_flight_rule": "guess"}, "bad_value", "guess"),
        ({"read_hist": [[281, 1]]}, "bad_value", "281"),
        ({"base": {"read_ios": -4}}, "bad_value", "-4"),
        ({"machine": {"steal_ratio": "much"}}, "bad_value", "much"),
    ],
)
def test_a_wrong_frame_is_named_and_the_good_one_beside_it_goes_through(
    change: dict[str, Any], code: str, value: str
) -> None:
    sent = {0: as_json(minute(START, **change)), 1: as_json(minute(START + 60))}
    bodies, refused = json_bodies(sent)
    assert (refused[0].code, 1 in bodies) == (code, True)
    assert value in refused[0].message


def test_slow_counts_must_be_in_order_and_within_the_completions() -> None:
    wrong_order, too_many = minute(START, term=7), minute(START, term=7)
    wrong_order["slow"][0] |= {"write_lo": [9] * 60, "write_est": [9] * 60, "write_hi": [1] * 60}
    too_many["slow"][0] |= {"write_hi": [99_999] * 60}
    _, refused = json_bodies({0: as_json(wrong_order), 1: as_json(too_many)})
    assert refused[0].code == refused[1].code == "bad_value"
    assert "9 over 1" in refused[0].message and "99999" in refused[1].message


def test_figures_survive_as_numpy_columns() -> None:
    frame = minute(START, term=7)
    bodies, _ = json_bodies({0: as_json(frame)})
    (opened,) = open_bodies([bodies[0]])
    assert not isinstance(opened, layout.LayoutError)
    at = named(*opened.form).columns.index(("write_ios", None))
    assert np.array_equal(stack([opened])[0, at], frame["write_ios"])
