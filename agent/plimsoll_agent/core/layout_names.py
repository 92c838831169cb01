"""Which number stands for which column in a stored frame? Written out once, never reused (docs/frame-layout.md)."""

from __future__ import annotations

from .counters import FIELDS

VERSION = 1

# Columns of the frame itself. in_flight is the level at the end of each step.
FRAME_COLUMNS: dict[str, int] = {
    "read_ios": 1,
    "write_ios": 2,
    "flush_ios": 3,
    "discard_ios": 4,
    "read_merges": 5,
    "write_merges": 6,
    "discard_merges": 7,
    "read_sectors": 8,
    "write_sectors": 9,
    "discard_sectors": 10,
    "read_ms": 11,
    "write_ms": 12,
    "flush_ms": 13,
    "discard_ms": 14,
    "busy_ms": 15,
    "queue_ms": 16,
    "in_flight": 17,
    "in_flight_ms": 18,
    "fine_ms": 19,
}

# Columns of one entry of `slow`.
TERM_COLUMNS: dict[str, int] = {
    "read_lo": 1,
    "read_hi": 2,
    "read_est": 3,
    "write_lo": 4,
    "write_hi": 5,
    "write_est": 6,
    "covered_est": 7,
    "excess_lo": 8,
    "excess_hi": 9,
    "lost_ms": 10,
}

# The column number of term k's column c is TERM_BASE * (k + 1) + c, k being its place in `slow`.
TERM_BASE = 32

RULES: dict[str, int] = {"accounted": 1, "driver": 2}
BASE_FIELDS: tuple[str, ...] = FIELDS  # bit b of the base's mask is field b
MACHINE_FIELDS: tuple[str, ...] = (
    "steal_ratio",
    "iowait_ratio",
    "dirty_bytes",
    "psi_io_some",
    "psi_io_full",
    "d_state_tasks",
)
HISTOGRAMS: tuple[str, ...] = ("read_hist", "write_hist")
TERM_THRESHOLDS: tuple[str, ...] = ("threshold_ms", "read_threshold_ms", "write_threshold_ms")
TERM_SCALARS: tuple[str, ...] = (*TERM_THRESHOLDS, "pool_start")
