"""Columns in PostgreSQL's binary form say what lists say."""

import struct

import psycopg
import pytest
from django.db import connection
from hypothesis import given, settings
from hypothesis import strategies as st

from sla.telemetry.arrays import byteas, int2s, int8s
from sla.telemetry.store import cursor


@pytest.mark.django_db
@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.integers(-(2**15), 2**15 - 1), max_size=70),
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=70),
    st.lists(st.binary(max_size=300), max_size=70),
)
def test_the_database_reads_what_was_written(small: list[int], large: list[int], bodies: list[bytes]) -> None:
    with cursor() as at:
        row = at.execute(
            "SELECT %b::int2[], %b::int8[], %b::bytea[]", [int2s(small), int8s(large), byteas(bodies)], binary=True
        ).fetchone()
    assert row == (small, large, bodies)
    assert isinstance(connection.connection, psycopg.Connection)


def test_a_number_that_does_not_fit_is_refused() -> None:
    with pytest.raises(struct.error):
        int2s([2**15])
