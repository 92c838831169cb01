"""Meta sections read side by side say what each says by itself, and the same ones are refused."""

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from plimsoll_agent.core import layout_names as names
from plimsoll_agent.core.layout import LayoutError
from plimsoll_agent.core.layout_meta import put_meta
from sla.telemetry.check import NULL
from sla.telemetry.meta import Meta, read_metas
from sla.telemetry.meta_columns import MetaColumns, read_columns

numbers = st.one_of(st.integers(0, 200), st.integers(0, 2**53 - 1))
histograms = st.dictionaries(st.integers(-1, 280), st.integers(1, 10**6), max_size=9)
terms = st.fixed_dictionaries(
    {"term": st.integers(0, 300), "threshold_ms": st.sampled_from([15, 0.5])}, optional={"pool_start": numbers}
)


@st.composite
def sections(draw: st.DrawFn) -> bytes:
    """One as an agent writes it, or with a byte changed, or cut."""
    frame: dict[str, Any] = {
        "base": draw(st.dictionaries(st.sampled_from(["read_ios", "write_ms", "in_flight"]), st.none() | numbers)),
        "in_flight_rule": draw(st.sampled_from([None, "accounted", "driver"])),
        "slow": draw(st.none() | st.lists(terms, max_size=3)),
        "read_hist": sorted(draw(histograms).items()),
        "machine": draw(st.none() | st.fixed_dictionaries({"steal_ratio": st.sampled_from([0.25, 1, 0.1 + 0.2])})),
    }
    out = bytearray()
    put_meta(out, frame)
    harm = draw(st.sampled_from(["no", "no", "no", "flip", "cut"]))
    if harm == "flip":
        out[draw(st.integers(0, len(out) - 1))] = draw(st.integers(0, 255))
    elif harm == "cut":
        del out[draw(st.integers(0, len(out))) :]
    return bytes(out)


def assert_says(columns: MetaColumns, index: int, meta: Meta) -> None:
    for place, name in enumerate(names.BASE_FIELDS):
        value = meta.base.get(name)
        assert columns.base[place, index] == (NULL if value is None else value), name
    assert columns.accounted[index] == (meta.rule == "accounted")
    assert columns.terms[index] == meta.terms
    assert tuple(columns.pools[: len(meta.terms), index].tolist()) == meta.pool_starts
    mine = columns.cells[columns.cells[:, 0] == index, 1:]
    flat = [*meta.read_hist, *meta.write_hist]
    assert sorted(map(tuple, mine.tolist())) == sorted(zip(flat[::2], flat[1::2], strict=True))


@settings(max_examples=300, deadline=None)
@given(st.lists(sections(), min_size=1, max_size=4), st.integers(1, 9))
def test_columns_and_rows_of_meta_sections_agree(several: list[bytes], times: int) -> None:
    many = several * times
    columns = read_columns(many)
    for index, meta in enumerate(read_metas(many)):
        assert isinstance(meta, LayoutError) == (index in columns.wrong)
        if not isinstance(meta, LayoutError):
            assert_says(columns, index, meta)


def test_without_histograms_all_else_is_the_same_and_what_is_taken_stays_itself() -> None:
    frame = {"base": {"read_ios": 7}, "slow": [{"term": 3, "pool_start": 5}], "read_hist": [[4, 2]]}
    out = bytearray()
    put_meta(out, frame)
    bare = read_columns([bytes(out)] * 6, histograms=False)
    full = read_columns([bytes(out)] * 6)
    assert bare.cells.shape == (0, 3)
    assert (bare.base == full.base).all()
    assert bare.terms == full.terms == [(3,)] * 6
    some = full.take(np.array([1, 4]))
    assert some.cells.tolist() == [[0, 4, 2], [1, 4, 2]]
    assert some.pools[0].tolist() == [5, 5]
