"""What did the promise cover where no agent has decided it? The ideal disk of semantics §4 on whole steps."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from plimsoll_agent.core.counters import FIELDS
from plimsoll_agent.core.meter import DiskMeter
from plimsoll_agent.core.term_meter import SecondCounts
from plimsoll_agent.core.terms import Term
from sla.domain.evidence import COUNTED, LABELS, UNKNOWN, Bools, Evidence, Ints

NS = 1_000_000_000
COUNTERS = ("read_ios", "read_sectors", "read_ms", "write_ios", "write_sectors", "write_ms", "queue_ms")


def label(evidence: Evidence, terms: Sequence[Term | None]) -> Evidence:
    """The same frames with every one labelled. `evidence` is in order; `terms`: for each slot what it is judged by.

    Unlabelled frames that follow each other without a hole are one run, so that it does not matter where they were
    cut; a run starts afresh (V = 0 … q, P = q). A slot without a term keeps its frames unlabelled.
    """
    todo: list[int] = np.flatnonzero(~evidence.labelled).tolist()
    if not todo:
        return evidence
    columns = {name: evidence.columns[name].copy() for name in (*LABELS, "fine_ms")}
    labelled, pool = evidence.labelled.copy(), evidence.pool_start.copy()
    run = _Run()
    previous = -1
    for index in todo:
        term = terms[evidence.slot[index]]
        if term is None:
            continue
        if not (previous == index - 1 and _follows(evidence, previous, index)):
            run = _Run()
        pool[index] = run.go(evidence, index, term, columns)
        columns["fine_ms"][index] = evidence.step_s[index] * 1000  # whole steps were all there was to judge by
        labelled[index] = True
        previous = index
    return replace(evidence, columns={**evidence.columns, **columns}, labelled=labelled, pool_start=pool)


def _follows(evidence: Evidence, left: int, right: int) -> bool:
    """Does one frame go on where the other ended, in the same slot and boot?"""
    end = evidence.offset_s[left] + evidence.step_s[left] * evidence.n[left]
    return bool(
        evidence.slot[left] == evidence.slot[right]
        and evidence.boot[left] == evidence.boot[right]
        and end == evidence.offset_s[right]
    )


class _Run:
    """A meter over consecutive steps; made anew after a hole."""

    def __init__(self) -> None:
        self.meter: DiskMeter | None = None
        self.now = 0
        self.total: dict[str, int] = {}

    def begin(self, term: Term, rule: str, in_flight: int) -> DiskMeter:
        self.meter = DiskMeter([term], rule=rule)
        self.now, self.total = 0, dict.fromkeys(COUNTERS, 0)
        self.sample(self.meter, in_flight)
        return self.meter

    def sample(self, meter: DiskMeter, in_flight: int) -> None:
        values = {**self.total, "in_flight": in_flight}
        meter.sample(self.now, tuple(values.get(name) for name in FIELDS))

    def go(self, evidence: Evidence, index: int, term: Term, columns: dict[str, Ints]) -> int:
        """Label one frame; its pool_start."""
        steps = {name: evidence.columns[name][index] for name in evidence.columns}
        seen = observed_steps(steps)
        dt_s = int(evidence.step_s[index])
        levels, counted = in_flight_levels(steps, seen, dt_s)
        rule = "accounted" if evidence.accounted[index] and counted else "driver"
        pool = self.meter.pool(term.term) if self.meter else 0
        for j in np.flatnonzero(np.arange(seen.shape[0]) < evidence.n[index]):
            if not seen[j]:
                self.meter = None
                continue
            meter, fresh = self.meter, self.meter is None
            if meter is None:
                start = int(evidence.base_in_flight[index]) if j == 0 else UNKNOWN
                meter = self.begin(term, rule, levels[j] if start == UNKNOWN else start)
            self.advance(meter, steps, int(j), dt_s, levels[j])
            write_labels(meter.close_second()[term.term], steps, int(j), columns, index)
            if fresh and start == UNKNOWN:
                # Nobody read in_flight before this step: whatever it completed may have waited since before.
                for name in ("read_lo", "write_lo"):
                    columns[name][index, j] = 0
            if fresh and j == 0:
                pool = start if start != UNKNOWN else levels[j] + int(steps["read_ios"][j] + steps["write_ios"][j])
        return pool

    def advance(self, meter: DiskMeter, steps: dict[str, Ints], j: int, dt_s: int, in_flight: int) -> None:
        """One step on: the counters as they stood at its end."""
        for name in COUNTERS:
            value = int(steps[name][j])
            if value != UNKNOWN:
                self.total[name] += value
            elif name == "queue_ms":
                self.total[name] += int(steps["read_ms"][j]) + int(steps["write_ms"][j])
        self.now += dt_s * NS
        self.sample(meter, in_flight)


def write_labels(got: SecondCounts, steps: dict[str, Ints], j: int, columns: dict[str, Ints], index: int) -> None:
    """A step's counts into its columns.

    A source that counted the slow ones itself (eBPF, QEMU) may know a lower ceiling than sums can prove.
    """
    for name in LABELS:
        value = int(getattr(got, name))
        if name in ("read_hi", "write_hi") and int(steps[name][j]) != UNKNOWN:
            value = min(value, int(steps[name][j]))
        columns[name][index, j] = value
    for side in ("read", "write"):
        high = columns[f"{side}_hi"][index, j]
        for end in ("lo", "est"):
            columns[f"{side}_{end}"][index, j] = min(columns[f"{side}_{end}"][index, j], high)


def observed_steps(steps: dict[str, Ints]) -> Bools:
    """Which steps have all four figures that a verdict needs."""
    seen: Bools = np.logical_and.reduce([steps[name] != UNKNOWN for name in COUNTED])
    return seen


def in_flight_levels(steps: dict[str, Ints], seen: Bools, dt_s: int) -> tuple[list[int], bool]:
    """In flight at each step's end, and whether it was counted; else the mean over the step (Little) stands in."""
    levels = steps["in_flight"]
    if not bool(np.any(seen & (levels == UNKNOWN))):
        return [int(v) for v in levels], True
    for name in ("in_flight_ms", "queue_ms"):
        if not bool(np.any(seen & (steps[name] == UNKNOWN))):
            return [round(int(v) / (1000 * dt_s)) if v != UNKNOWN else 0 for v in steps[name]], False
    summed = np.where(seen, steps["read_ms"] + steps["write_ms"], 0)
    return [round(int(v) / (1000 * dt_s)) for v in summed], False
