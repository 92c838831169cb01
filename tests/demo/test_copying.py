"""Do columns come into a table as they are, whatever is NULL in them?"""

import numpy as np
import pytest

from sla.demo import copying
from sla.domain.evidence import UNKNOWN
from sla.scoring import store

pytestmark = pytest.mark.django_db


def test_numbers_moments_flags_bytes_and_nulls_arrive_unchanged() -> None:
    with store.transacting() as cursor:
        cursor.execute(
            "CREATE TEMPORARY TABLE one (a int8, b int2, at timestamptz, c int4, ok bool, d int8, e bytea) "
            "ON COMMIT DROP"
        )
        rows = copying.CHUNK + 7
        numbers = np.arange(rows, dtype=np.int64)
        put = copying.put(
            cursor,
            "one",
            {
                "a": numbers * 10**12,
                "b": numbers % 100 - 50,
                "at": 1_763_661_840 + numbers,
                "c": np.where(numbers % 3 == 0, UNKNOWN, numbers),
                "ok": numbers % 2 == 0,
                "d": np.where(numbers % 5 == 0, UNKNOWN, -numbers),
                "e": [bytes([number % 256]) * (number % 4) for number in range(rows)],
            },
        )
        assert put == rows
        found = cursor.execute(
            "SELECT a, b, extract(epoch FROM at)::int8, c, ok, d, e FROM one ORDER BY a", binary=True
        ).fetchall()
    for number in (0, 1, 15, 299, rows - 1):
        assert found[number] == (
            number * 10**12, number % 100 - 50, 1_763_661_840 + number, None if number % 3 == 0 else number,
            number % 2 == 0, None if number % 5 == 0 else -number, bytes([number % 256]) * (number % 4),
        )  # fmt: skip
