"""Columns in PostgreSQL's binary form say what lists say."""

import json
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sla.telemetry.arrays import BYTEAS, INT2S, INT8S, byteas, int2s, int8s
from sla.telemetry.store import line
from sla.telemetry.turn import Statement

TOLD = Statement("test_arrays", "SELECT json_build_array($1, $2, $3)::text", [INT2S, INT8S, BYTEAS])


@pytest.mark.django_db
@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.integers(-(2**15), 2**15 - 1), max_size=70),
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=70),
    st.lists(st.binary(max_size=300), max_size=70),
)
def test_the_database_reads_what_was_written(small: list[int], large: list[int], bodies: list[bytes]) -> None:
    told = json.loads(TOLD.run(line(), [int2s(small), int8s(large), byteas(bodies)]))
    assert told == [small, large, ["\\x" + body.hex() for body in bodies]]


def test_a_number_that_does_not_fit_is_refused() -> None:
    with pytest.raises(struct.error):
        int2s([2**15])
