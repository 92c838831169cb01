"""Which percentiles do many histograms have? R40 buckets (semantics §3) as rows of an array: merged, never averaged."""

from collections.abc import Iterable, Mapping

import numpy as np

from plimsoll_agent.core.r40 import ABOVE, BELOW, EDGES_US
from sla.domain.evidence import UNKNOWN, Ints

BUCKETS = ABOVE - BELOW + 1  # below 10 µs, 280 of R40, above 100 s
UPPER_US = np.array([*EDGES_US, UNKNOWN], np.int64)  # by position: bucket −1 is 0


def dense(cells: Ints, rows: int) -> Ints:
    """(rows, BUCKETS) counts from (K, 3) cells of row, bucket, count."""
    table = np.zeros((rows, BUCKETS), np.int64)
    np.add.at(table, (cells[:, 0], np.clip(cells[:, 1], BELOW, ABOVE) - BELOW), cells[:, 2])
    return table


def percentiles_us(table: Ints, ratio_percent: Iterable[int]) -> Ints:
    """(rows, percentiles): below which latency (the bucket's upper edge) that share lies.

    UNKNOWN for an empty row or where it lies above 100 s.
    """
    columns = []
    if not table.any():
        return np.full((len(table), len(tuple(ratio_percent))), UNKNOWN, np.int64)
    seen = np.cumsum(table, axis=1)
    total = seen[:, -1]
    for percent in ratio_percent:
        bucket = np.argmax(seen * 100 >= percent * total[:, None], axis=1)
        columns.append(np.where(total > 0, UPPER_US[bucket], UNKNOWN))
    return np.column_stack(columns)


def pack(row: Ints) -> bytes:
    """One dense row as stored: pairs of bucket position and count as little-endian uint32; empty for no I/O."""
    position = np.flatnonzero(row)
    return np.column_stack((position, row[position])).astype("<u4").tobytes()


def unpack(packed: bytes) -> Ints:
    """The dense row of `pack`."""
    row = np.zeros(BUCKETS, np.int64)
    pairs = np.frombuffer(packed, "<u4").reshape(-1, 2)
    row[pairs[:, 0]] = pairs[:, 1]
    return row


def sparse(row: Ints) -> Mapping[int, int]:
    """{bucket: count} as the agent's core names buckets."""
    return {int(position) + BELOW: int(row[position]) for position in np.flatnonzero(row)}
