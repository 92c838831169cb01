"""What do the stored frames of these minutes say? Bodies read in batches into the domain's columns."""

import logging
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plimsoll_agent.core.layout import LayoutError
from sla.domain.evidence import LABELS, MINUTE_S, STEPS, UNKNOWN, Evidence, Ints, both
from sla.telemetry.check import NULL32
from sla.telemetry.columns import Opened, named, open_bodies, stack_raw

logger = logging.getLogger(__name__)
# Of each column of the stored form, whether it is one of the frame or of a term.
PLAIN, OF_TERM = frozenset(STEPS), frozenset(LABELS)


@dataclass(frozen=True, slots=True)
class StoredFrame:
    """A row of the frames' table; `start` in Unix seconds."""

    disk: int
    vantage: int
    start: int
    step_s: int
    n: int
    source: int
    boot: int
    body: bytes

    @property
    def minute(self) -> int:
        """The slot it belongs to."""
        return self.start // MINUTE_S * MINUTE_S


def readable(frames: Sequence[StoredFrame]) -> tuple[list[StoredFrame], list[Opened]]:
    """The frames whose bodies can be read, and these bodies opened.

    Ingest has checked each of them, so a broken one means a damaged store: it is left out as unobserved, and said, so
    that it does not hold up the others.
    """
    kept, bodies = [], []
    for frame, one in zip(frames, open_bodies([frame.body for frame in frames]), strict=True):
        if isinstance(one, LayoutError):
            logger.error("frame of disk %d at %d cannot be read: %s", frame.disk, frame.start, one)
        else:
            kept.append(frame)
            bodies.append(one)
    return kept, bodies


def evidence_of_rows(
    frames: Sequence[StoredFrame],
    bodies: Sequence[Opened],
    slots: Sequence[int],
    terms: Sequence[int],
    *,
    histograms: bool = True,
) -> Evidence:
    """Columns of stored frames. `slots`: each frame's slot index; `terms`: for each slot the contract version's id."""
    forms: dict[object, list[int]] = defaultdict(list)
    for index, one in enumerate(bodies):
        forms[one.form].append(index)
    slot = np.fromiter(slots, np.int64, len(frames))
    wanted = np.asarray(terms, np.int64)[slot]
    columns = {name: np.full((len(frames), MINUTE_S), UNKNOWN, np.int64) for name in STEPS + LABELS}
    labelled = np.zeros(len(frames), bool)
    pool = np.zeros(len(frames), np.int64)
    for members in forms.values():
        _place(bodies, np.array(members), wanted=wanted, columns=columns, labelled=labelled, pool=pool)
    bases = [one.meta.base for one in bodies]
    levels = [base.get("in_flight") for base in bases]

    def column(values: list[int]) -> Ints:
        return np.array(values, np.int64)

    return Evidence(
        slot=slot,
        offset_s=column([frame.start % MINUTE_S for frame in frames]),
        step_s=column([frame.step_s for frame in frames]),
        n=column([frame.n for frame in frames]),
        source=column([frame.source for frame in frames]),
        boot=column([frame.boot for frame in frames]),
        accounted=np.array([one.meta.rule == "accounted" for one in bodies], bool),
        labelled=labelled,
        pool_start=pool,
        base_ios=column([both(base, "read_ios", "write_ios") for base in bases]),
        base_ms=column([both(base, "read_ms", "write_ms") for base in bases]),
        base_in_flight=column([UNKNOWN if level is None else level for level in levels]),
        columns=columns,
        cells=_cells(bodies) if histograms else np.zeros((0, 3), np.int64),
    )


def _place(
    bodies: Sequence[Opened],
    members: Ints,
    *,
    wanted: Ints,
    columns: dict[str, Ints],
    labelled: np.ndarray,
    pool: Ints,
) -> None:
    """Put the frames of one form where they belong; of their terms only the one that their slot is judged by."""
    first = bodies[members[0]]
    used = [
        (place, name, term)
        for place, (name, term) in enumerate(named(first).columns)
        if name in (PLAIN if term is None else OF_TERM)
    ]
    frames = [bodies[index] for index in members]
    if first.wide:
        raw = stack_raw(frames)[:, [place for place, _, _ in used]]
    else:
        raw = stack_raw(frames, [place for place, _, _ in used])
    everyone = np.arange(len(members))
    for place, (_, name, term) in enumerate(used):
        if term is None:
            _put(columns, name, raw[:, place], members, everyone)
        else:
            mine = np.flatnonzero(wanted[members] == term)
            _put(columns, name, raw[:, place], members, mine)
            if name == "covered_est":
                labelled[members[mine]] = True
    for place, term in enumerate(first.meta.terms):
        for index in members[wanted[members] == term].tolist():
            pool[index] = bodies[index].meta.pool_starts[place]


def _put(columns: dict[str, Ints], name: str, raw: np.ndarray, members: Ints, mine: Ints) -> None:
    """One column of some frames (`mine` of `members`) into its place, widened; NULL32 is NULL."""
    whole = columns[name]
    if len(mine) < len(members):
        raw = raw[mine]
    figures = raw.astype(np.int64)
    if raw.dtype.itemsize == 4:
        figures[raw == NULL32] = UNKNOWN
    if len(mine) == len(whole) and figures.shape[1] == whole.shape[1]:
        columns[name] = figures  # every frame has this form: nothing to merge into
    else:
        whole[members[mine], : figures.shape[1]] = figures


def _cells(bodies: Sequence[Opened]) -> Ints:
    """(K, 3): frame, bucket, count of reads and writes together."""
    flat: list[int] = []
    lengths = []
    for one in bodies:
        both_ways = one.meta.read_hist + one.meta.write_hist
        flat += both_ways
        lengths.append(len(both_ways) // 2)
    pairs = np.array(flat, np.int64).reshape(-1, 2)
    return np.column_stack((np.repeat(np.arange(len(bodies)), lengths), pairs))
