"""What do the stored frames of these minutes say? Bodies read in batches into the domain's columns."""

import logging
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from plimsoll_agent.core.layout import LayoutError
from sla.domain.evidence import LABELS, MINUTE_S, STEPS, UNKNOWN, WRAP_MS, Evidence, Ints
from sla.telemetry.check import NULL32
from sla.telemetry.columns import Opened, named, open_columns, stack_raw
from sla.telemetry.meta_columns import PLACES, MetaColumns

logger = logging.getLogger(__name__)
# Of each column of the stored form, whether it is one of the frame or of a term.
PLAIN, OF_TERM = frozenset(STEPS), frozenset(LABELS)


@dataclass(frozen=True, slots=True)
class StoredFrames:
    """Rows of the frames' table as columns, all (F,); `start` in Unix seconds."""

    disk: Ints
    vantage: Ints
    start: Ints
    step_s: Ints
    n: Ints
    source: Ints
    boot: Ints
    body: list[bytes]

    def __len__(self) -> int:
        return len(self.body)

    @classmethod
    def of(cls, rows: Sequence[tuple[Any, ...]]) -> "StoredFrames":
        """From rows in the order of the fields."""
        *figures, body = zip(*rows, strict=True) if rows else ((),) * 8
        disk, vantage, start, step_s, n, source, boot = (np.array(values, np.int64) for values in figures)
        return cls(disk, vantage, start, step_s, n, source, boot, list(body))

    @property
    def minute(self) -> Ints:
        """The slots they belong to."""
        return self.start // MINUTE_S * MINUTE_S

    def take(self, keep: Ints) -> "StoredFrames":
        """The frames at these places."""
        return StoredFrames(
            self.disk[keep],
            self.vantage[keep],
            self.start[keep],
            self.step_s[keep],
            self.n[keep],
            self.source[keep],
            self.boot[keep],
            [self.body[place] for place in keep.tolist()],
        )


@dataclass(frozen=True, slots=True)
class Read:
    """Frames whose bodies were opened, and what their meta sections say."""

    frames: StoredFrames
    bodies: list[Opened]
    metas: MetaColumns


def read(frames: StoredFrames, *, histograms: bool = True) -> Read:
    """The frames whose bodies can be read.

    Ingest has checked each of them, so a broken one means a damaged store: it is left out as unobserved, and said, so
    that it does not hold up the others.
    """
    answers, good, metas = open_columns(frames.body, histograms=histograms)
    if len(good) == len(frames):
        return Read(frames, cast(list[Opened], answers), metas)
    for place, one in enumerate(answers):
        if isinstance(one, LayoutError):
            disk, start = frames.disk[place], frames.start[place]
            logger.error("frame of disk %d at %d cannot be read: %s", disk, start, one)
    bodies = [cast(Opened, answers[place]) for place in good]
    return Read(frames.take(np.array(good, np.int64)), bodies, metas)


def evidence_of_rows(got: Read, slot: Ints, terms: Sequence[int]) -> Evidence:
    """Columns of stored frames. `slot`: each frame's slot index; `terms`: for each slot the contract version's id."""
    frames, bodies, metas = got.frames, got.bodies, got.metas
    forms: dict[object, list[int]] = defaultdict(list)
    for index, one in enumerate(bodies):
        forms[one.form].append(index)
    wanted = np.asarray(terms, np.int64)[slot]
    columns = {name: np.full((len(frames), MINUTE_S), UNKNOWN, np.int64) for name in STEPS + LABELS}
    labelled = np.zeros(len(frames), bool)
    pool = np.zeros(len(frames), np.int64)
    for listed in forms.values():
        members = np.array(listed)
        _place(bodies, members, wanted=wanted, columns=columns, labelled=labelled)
        for place, term in enumerate(bodies[members[0]].meta.terms):
            mine = members[wanted[members] == term]
            pool[mine] = metas.pools[place, mine]
    base = {name: metas.base[place] for name, place in PLACES.items()}
    return Evidence(
        slot=slot,
        offset_s=frames.start % MINUTE_S,
        step_s=frames.step_s,
        n=frames.n,
        source=frames.source,
        boot=frames.boot,
        accounted=metas.accounted,
        labelled=labelled,
        pool_start=pool,
        base_ios=_both(base["read_ios"], base["write_ios"]),
        base_ms=_both(base["read_ms"], base["write_ms"], WRAP_MS),
        base_in_flight=base["in_flight"],
        columns=columns,
        cells=metas.cells,
    )


def _both(reads: Ints, writes: Ints, wrap: int = 1 << 62) -> Ints:
    """Reads + writes, UNKNOWN unless both are known."""
    known = (reads != UNKNOWN) & (writes != UNKNOWN)
    return np.where(known, (np.where(known, reads, 0) + np.where(known, writes, 0)) % wrap, UNKNOWN)


def _place(
    bodies: Sequence[Opened],
    members: Ints,
    *,
    wanted: Ints,
    columns: dict[str, Ints],
    labelled: np.ndarray,
) -> None:
    """Put the frames of one form where they belong; of their terms only the one that their slot is judged by."""
    first = bodies[members[0]]
    used = [
        (place, name, term)
        for place, (name, term) in enumerate(named(*first.form).columns)
        if name in (PLAIN if term is None else OF_TERM)
    ]
    frames = [bodies[index] for index in members]
    if first.wide:
        raw = stack_raw(frames)[:, [place for place, _, _ in used]]
    else:
        raw = stack_raw(frames, np.array([place for place, _, _ in used], np.intp))
    everyone = np.arange(len(members))
    for place, (_, name, term) in enumerate(used):
        if term is None:
            _put(columns, name, raw[:, place], members, everyone)
        else:
            mine = np.flatnonzero(wanted[members] == term)
            _put(columns, name, raw[:, place], members, mine)
            if name == "covered_est":
                labelled[members[mine]] = True


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
