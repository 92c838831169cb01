"""What do the frames say, side by side? Frames as numpy columns, so that a thousand slots are scored at once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

MINUTE_S = 60
UNKNOWN = int(np.iinfo(np.int64).min)
WRAP_MS = 2**32  # the kernel prints summed times as unsigned 32-bit milliseconds

DISKSTATS, EBPF, QMP, IMPORT = 1, 2, 3, 4
SOURCES = {"diskstats": DISKSTATS, "ebpf": EBPF, "qmp": QMP, "import": IMPORT}
COUNTED = ("read_ios", "write_ios", "read_ms", "write_ms")
STEPS = (*COUNTED, "read_sectors", "write_sectors", "queue_ms", "in_flight", "in_flight_ms", "fine_ms")
BOUNDS = ("read_lo", "read_est", "read_hi", "write_lo", "write_est", "write_hi")
LABELS = (*BOUNDS, "covered_est", "excess_lo", "excess_hi", "lost_ms")


@dataclass(frozen=True, slots=True)
class Evidence:
    """F frames of any number of slots, W = 60 steps wide. Unobserved steps are UNKNOWN.

    `slot` (F,): which slot, 0 … S−1; `offset_s` (F,): where in its minute it begins; `columns`: (F, W) for each of
    STEPS and LABELS; `labelled` (F,): the labels are of the term the slot is judged by. `base_ios`, `base_ms`
    (F,): cumulative reads + writes and their time (modulo 2^32 ms) when the frame began. `cells` (K, 3): frame, R40
    bucket, count.
    """

    slot: Ints
    offset_s: Ints
    step_s: Ints
    n: Ints
    source: Ints
    boot: Ints
    accounted: Bools
    labelled: Bools
    pool_start: Ints
    base_ios: Ints
    base_ms: Ints
    base_in_flight: Ints
    columns: Mapping[str, Ints]
    cells: Ints

    @property
    def frames(self) -> int:
        """F."""
        return len(self.slot)

    def take(self, keep: Ints) -> "Evidence":
        """The frames at these indices, in this order."""
        where = np.full(self.frames, -1, np.int64)
        where[keep] = np.arange(len(keep))
        frame = where[self.cells[:, 0]]
        cells = np.column_stack((frame, self.cells[:, 1:]))[frame >= 0]
        flat = {
            name: getattr(self, name)[keep]
            for name in (
                *("slot", "offset_s", "step_s", "n", "source", "boot", "accounted", "labelled"),
                *("pool_start", "base_ios", "base_ms", "base_in_flight"),
            )
        }
        return Evidence(**flat, columns={k: v[keep] for k, v in self.columns.items()}, cells=cells)

    def in_order(self) -> "Evidence":
        """Sorted by slot and time, a frame that came twice taken once: what follows cannot depend on how they came."""
        order = np.lexsort((self.offset_s, self.slot))
        slot, offset = self.slot[order], self.offset_s[order]
        first = np.ones(len(order), bool)
        first[1:] = (slot[1:] != slot[:-1]) | (offset[1:] != offset[:-1])
        if first.all() and (order[1:] > order[:-1]).all():
            return self
        return self.take(order[first])


def known(values: Ints) -> Ints:
    """The values with unknown as 0, for sums."""
    return np.where(values == UNKNOWN, 0, values)


def evidence_of(frames: Sequence[Mapping[str, Any]], term_id: int, slots: Iterable[int]) -> Evidence:
    """Frames in the JSON form of the protocol (plus `boot`, an integer; 0 if missing) as columns.

    `slots`: for each frame the index of its slot. The server reads stored bodies in batches by another way; this one is
    for recordings, tests and what is small.
    """
    slot = np.fromiter(slots, np.int64, len(frames))
    columns = {name: np.full((len(frames), MINUTE_S), UNKNOWN, np.int64) for name in STEPS + LABELS}
    cells: list[tuple[int, int, int]] = []
    labelled = np.zeros(len(frames), bool)
    pool = np.zeros(len(frames), np.int64)
    for index, frame in enumerate(frames):
        _fill(columns, index, frame, STEPS)
        for slow in frame.get("slow") or ():
            if slow["term"] == term_id and slow.get("covered_est") is not None:
                labelled[index], pool[index] = True, slow.get("pool_start") or 0
                _fill(columns, index, slow, LABELS)
        for name in ("read_hist", "write_hist"):
            cells += [(index, bucket, count) for bucket, count in frame.get(name) or ()]
    bases = [frame.get("base") or {} for frame in frames]

    def column(values: Iterable[int]) -> Ints:
        return np.fromiter(values, np.int64, len(frames))

    return Evidence(
        slot=slot,
        offset_s=column(frame["start"] % MINUTE_S for frame in frames),
        step_s=column(frame["step_s"] for frame in frames),
        n=column(frame["n"] for frame in frames),
        source=column(SOURCES[frame.get("source", "diskstats")] for frame in frames),
        boot=column(frame.get("boot", 0) for frame in frames),
        accounted=np.array([frame.get("in_flight_rule") == "accounted" for frame in frames], bool),
        labelled=labelled,
        pool_start=pool,
        base_ios=column(both(base, "read_ios", "write_ios") for base in bases),
        base_ms=column(both(base, "read_ms", "write_ms") for base in bases),
        base_in_flight=column(_or_unknown(base.get("in_flight")) for base in bases),
        columns=columns,
        cells=np.array(cells, np.int64).reshape(-1, 3),
    )


def both(base: Mapping[str, Any], read: str, write: str) -> int:
    """Reads + writes of a base, UNKNOWN unless it has both; times modulo their wrap."""
    if base.get(read) is None or base.get(write) is None:
        return UNKNOWN
    total = int(base[read]) + int(base[write])
    return total % WRAP_MS if read.endswith("_ms") else total


def _or_unknown(value: int | None) -> int:
    return UNKNOWN if value is None else value


def _fill(columns: Mapping[str, Ints], index: int, source: Mapping[str, Any], names: Iterable[str]) -> None:
    for name in names:
        if (values := source.get(name)) is not None:
            columns[name][index, : len(values)] = [_or_unknown(value) for value in values]
